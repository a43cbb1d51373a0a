// A tensor as PyTorch prints it.
//
// One number style for the whole tensor, chosen from the values that are shown; then nested brackets, rows packed to the line width;
// then the suffixes, each on a new line when it would not fit.

#include <math.h>
#include <stdio.h>

#include "runtime/internal.h"

using namespace sifr::rt;

namespace {

/// What is shown of a tensor: sizes and strides resolved, and which axes are cut to their edges.
struct Shown {
    const sifr_tensor& t;
    const sifr_print_options& options;
    const int64_t* strides;
    bool cut;

    [[nodiscard]] bool cut_axis(int32_t axis) const { return cut && t.sizes[axis] > 2 * int64_t{options.edgeitems}; }

    /// Calls `visit(offset)` for each shown element, in row-major order.
    template <class Visit>
    void each(Visit visit, int32_t axis = 0, int64_t offset = 0) const {
        if (axis == t.ndim) {
            visit(offset);
            return;
        }
        const int64_t size = t.sizes[axis];
        const int64_t edge = options.edgeitems;
        const bool cut_here = cut_axis(axis);
        for (int64_t k = 0; k < size; ++k) {
            if (cut_here && k == edge) k = size - edge;
            if (k < size) each(visit, axis + 1, offset + k * strides[axis]);
        }
    }
};

enum class Style { Integer, Fixed, Scientific };

/// The style and column width of real numbers.
struct NumberStyle {
    Style style = Style::Integer;
    bool floating = true;
    int64_t width = 1;
    int32_t precision = 4;

    void append_plain(Text& out, double value) const {
        FloatFormat format;
        format.code = style == Style::Scientific ? 'e' : 'f';
        format.precision = style == Style::Integer ? 0 : precision;
        append_float(out, value, format);
        if (style == Style::Integer && isfinite(value)) out << '.';
    }
    void append_padded(Text& out, double value) const {
        Text plain;
        append_plain(plain, value);
        out.fill(' ', width - plain.size);
        out << plain.view();
    }
};

/// `part(offset)` is the number that is looked at (the real or the imaginary part).
template <class Part>
NumberStyle choose_style(const Shown& shown, Part part) {
    NumberStyle chosen;
    chosen.precision = shown.options.precision;
    double low = INFINITY;
    double high = 0;
    bool whole = true;
    shown.each([&](int64_t offset) {
        const double value = part(offset);
        if (!isfinite(value) || value == 0) return;
        const double magnitude = fabs(value);
        if (magnitude < low) low = magnitude;
        if (magnitude > high) high = magnitude;
        whole = whole && value == ceil(value);
    });
    if (high == 0) return chosen;  // zeros, NaN and infinities only: even a forced scientific mode prints `0.`
    const bool wide = high / low > 1000.0 || high > 1e8 || (!whole && low < 1e-4);
    const bool scientific = shown.options.sci_mode < 0 ? wide : shown.options.sci_mode == 1;
    chosen.style = scientific ? Style::Scientific : whole ? Style::Integer : Style::Fixed;
    Text text;
    shown.each([&](int64_t offset) {
        const double value = part(offset);
        if (!isfinite(value) || value == 0) return;
        text.size = 0;
        chosen.append_plain(text, value);
        if (text.size > chosen.width) chosen.width = text.size;
    });
    return chosen;
}

/// How one element is printed.
struct ElementStyle {
    const Shown& shown;
    NumberStyle real;
    NumberStyle imaginary;
    int64_t column = 0;  // columns that an element takes, with its separator

    explicit ElementStyle(const Shown& s) : shown(s) {
        const sifr_tensor& t = s.t;
        const auto real_part = [&t](int64_t offset) { return load_f64_at(t.data, t.dtype, offset); };
        if (is_complex(t.dtype)) {
            real = choose_style(s, real_part);
            imaginary = choose_style(s, [&t](int64_t offset) { return load_imaginary_at(t.data, t.dtype, offset); });
            column = real.width + imaginary.width + 3;
            return;
        }
        if (is_floating(t.dtype)) {
            real = choose_style(s, real_part);
        } else {
            real.floating = false;
            Text text;
            s.each([&](int64_t offset) {
                text.size = 0;
                append_element(text, t, offset);
                if (text.size > real.width) real.width = text.size;
            });
        }
        column = real.width + 2;
    }

    void append(Text& out, int64_t offset) const {
        const sifr_tensor& t = shown.t;
        if (!real.floating) {
            Text plain;
            append_element(plain, t, offset);
            out.fill(' ', real.width - plain.size);
            out << plain.view();
            return;
        }
        real.append_padded(out, load_f64_at(t.data, t.dtype, offset));
        if (!is_complex(t.dtype)) return;
        Text tail;
        imaginary.append_plain(tail, load_imaginary_at(t.data, t.dtype, offset));
        if (tail[0] != '-' && tail[0] != '+') out << '+';
        out << tail.view() << 'j';
    }
};

constexpr sifr_str opening = lit("tensor(");

void append_row(Text& out, const ElementStyle& style, int32_t axis, int64_t offset, int64_t indent) {
    const Shown& shown = style.shown;
    const int64_t size = shown.t.sizes[axis];
    const int64_t edge = shown.options.edgeitems;
    const bool cut_here = shown.cut_axis(axis);
    int64_t per_line = (shown.options.linewidth - indent) / style.column;
    if (per_line < 1) per_line = 1;
    int64_t on_line = 0;
    bool first = true;
    const auto separate = [&] {
        if (!first) out << (on_line == per_line ? "," : ", ");
        if (on_line == per_line) {
            out << '\n';
            out.fill(' ', indent + 1);
            on_line = 0;
        }
        first = false;
        ++on_line;
    };
    out << '[';
    for (int64_t k = 0; k < size; ++k) {
        if (cut_here && k == edge) {
            separate();
            out << (edge == 0 ? "..." : " ...");
            k = size - edge;
            if (k >= size) break;
        }
        separate();
        style.append(out, offset + k * shown.strides[axis]);
    }
    out << ']';
}

void append_body(Text& out, const ElementStyle& style, int32_t axis, int64_t offset, int64_t indent) {
    const Shown& shown = style.shown;
    const int32_t depth = shown.t.ndim - axis;
    if (depth == 0) {
        style.append(out, offset);
        return;
    }
    if (depth == 1) {
        append_row(out, style, axis, offset, indent);
        return;
    }
    const int64_t size = shown.t.sizes[axis];
    const int64_t edge = shown.options.edgeitems;
    const bool cut_here = shown.cut_axis(axis);
    const auto separate = [&] {
        out << ',';
        out.fill('\n', depth - 1);
        out.fill(' ', indent + 1);
    };
    out << '[';
    for (int64_t k = 0; k < size; ++k) {
        if (k > 0) separate();
        if (cut_here && k == edge) {
            out << "...";
            k = size - edge;
            if (k >= size) break;
            separate();
        }
        append_body(out, style, axis + 1, offset + k * shown.strides[axis], indent + 1);
    }
    out << ']';
}

/// Appends suffixes behind what is printed, on new lines where they do not fit.
struct SuffixWriter {
    Text& out;
    int64_t linewidth;
    int64_t last = 0;

    SuffixWriter(Text& text, int64_t width) : out(text), linewidth(width) {
        int64_t start = out.size;
        while (start > 0 && out[start - 1] != '\n') --start;
        last = out.size - start + 2;
    }
    void add(sifr_str suffix) {
        if (suffix.size == 0) return;
        const int64_t length = code_point_count(suffix);
        if (last + length + 2 > linewidth) {
            out << ",\n";
            out.fill(' ', opening.size);
            last = opening.size + length;
        } else {
            out << ", ";
            last += length + 2;
        }
        out << suffix;
    }
};

int32_t complex_partner(int32_t dtype) {
    return dtype == SIFR_F64 ? SIFR_C128 : SIFR_C64;
}

/// The same memory as complex numbers. `strides` is room for the result's.
sifr_tensor complex_of_pairs(const sifr_tensor& t, int64_t* strides) {
    sifr_tensor out = t;
    out.dtype = complex_partner(t.dtype);
    out.ndim = t.ndim - 1;
    if (t.strides != nullptr) {
        for (int32_t d = 0; d < out.ndim; ++d) strides[d] = t.strides[d] / 2;
        out.strides = strides;
    }
    return out;
}

}  // namespace

extern "C" {

sifr_print_options sifr_default_print_options(void) {
    sifr_print_options options = {};
    options.precision = 4;
    options.edgeitems = 3;
    options.threshold = 1000;
    options.linewidth = 80;
    options.sci_mode = -1;
    options.default_dtype = SIFR_F32;
    return options;
}

sifr_str sifr_tensor_str(const sifr_tensor* tensor, const sifr_print_options* given, sifr_str device, sifr_str suffix) {
    const sifr_print_options options = given != nullptr ? *given : sifr_default_print_options();
    int64_t halved[max_dims];
    const sifr_tensor t = options.pairs != 0 ? complex_of_pairs(*tensor, halved) : *tensor;
    int64_t own[max_dims];
    if (t.strides == nullptr) contiguous_strides(t, own);
    const int64_t count = sifr_tensor_numel(&t);
    const Shown shown{t, options, t.strides != nullptr ? t.strides : own, count > options.threshold};
    Text out;
    out << opening;
    if (count == 0) {
        out << "[]";
    } else {
        append_body(out, ElementStyle(shown), 0, 0, opening.size);
    }
    SuffixWriter suffixes(out, options.linewidth);
    suffixes.add(device);
    if (count == 0 ? t.ndim != 1 : options.edgeitems == 0) {
        Text sizes;
        sizes << "size=(";
        for (int32_t d = 0; d < t.ndim; ++d) {
            if (d > 0) sizes << ", ";
            sizes << t.sizes[d];
        }
        if (t.ndim == 1) sizes << ',';
        sizes << ')';
        suffixes.add(sizes.view());
    }
    const bool plain = t.dtype == options.default_dtype ||
                       (count > 0 && (t.dtype == SIFR_I64 || t.dtype == SIFR_BOOL || t.dtype == complex_partner(options.default_dtype)));
    if (!plain) {
        Text dtype;
        dtype << "dtype=torch." << sifr_dtype_name(t.dtype);
        suffixes.add(dtype.view());
    }
    suffixes.add(suffix);
    out << ')';
    return out.done();
}

}  // extern "C"
