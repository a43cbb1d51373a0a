// `format % values`.

#include <math.h>
#include <stdio.h>

#include "runtime/internal.h"

using namespace sifr::rt;

namespace {

struct Conversion {
    bool left = false, plus = false, blank = false, alternate = false, zero = false;
    int64_t width = -1;
    int64_t precision = -1;
    uint32_t code = 0;
};

struct Arguments {
    const sifr_value* values;
    int64_t count;
    int64_t next = 0;

    const sifr_value* take() {
        if (next < count) return &values[next++];
        fail(SIFR_TYPE_ERROR, "not enough arguments for format string");
        return nullptr;
    }
};

sifr_str type_name(const sifr_value& value) {
    switch (value.kind) {
        case SIFR_KIND_I64: return lit("int");
        case SIFR_KIND_F64: return lit("float");
        case SIFR_KIND_BOOL: return lit("bool");
        case SIFR_KIND_STR: return lit("str");
        default: return value.type_name;
    }
}

void append_str(Text& out, const sifr_value& value, bool repr) {
    switch (value.kind) {
        case SIFR_KIND_I64: out << value.i64; break;
        case SIFR_KIND_F64: append_f64(out, value.f64); break;
        case SIFR_KIND_BOOL: out << sifr_bool_str(value.i64 != 0); break;
        case SIFR_KIND_STR:
            if (repr) {
                append_str_repr(out, value.text);
            } else {
                out << value.text;
            }
            break;
        default: out << (repr ? value.other_repr : value.text); break;
    }
}

/// `ascii(x)`: repr with what is not ASCII escaped.
void append_ascii(Text& out, sifr_str repr) {
    const char* p = repr.data;
    const char* end = repr.data + repr.size;
    while (p < end) {
        const uint32_t c = next_code_point(p, end);
        char escaped[16];
        if (c < 0x80) {
            out << static_cast<char>(c);
            continue;
        }
        snprintf(escaped, sizeof escaped, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
        out << escaped;
    }
}

/// Reads `*` or digits. `*`: a negative width means left, a negative precision 0.
sifr_status read_number(const Scratch<uint32_t>& points, int64_t& at, Arguments& arguments, const char* too_big, int64_t& value) {
    if (at < points.size && points[at] == '*') {
        ++at;
        const sifr_value* argument = arguments.take();
        if (argument == nullptr) return SIFR_TYPE_ERROR;
        if (argument->kind != SIFR_KIND_I64 && argument->kind != SIFR_KIND_BOOL) return fail(SIFR_TYPE_ERROR, "* wants int");
        value = argument->i64;
        return SIFR_OK;
    }
    while (at < points.size && points[at] >= '0' && points[at] <= '9') {
        if (value < 0) value = 0;
        if (value > (INT64_MAX - 9) / 10) return fail(SIFR_VALUE_ERROR, too_big);
        value = value * 10 + (points[at++] - '0');
    }
    return SIFR_OK;
}

sifr_status parse_conversion(const Scratch<uint32_t>& points, int64_t& at, Arguments& arguments, Conversion& conversion) {
    for (; at < points.size; ++at) {
        const uint32_t c = points[at];
        if (c == '-') conversion.left = true;
        else if (c == '+') conversion.plus = true;
        else if (c == ' ') conversion.blank = true;
        else if (c == '#') conversion.alternate = true;
        else if (c == '0') conversion.zero = true;
        else break;
    }
    if (const sifr_status status = read_number(points, at, arguments, "width too big", conversion.width)) return status;
    if (conversion.width < -1) {
        conversion.left = true;
        conversion.width = -conversion.width;
    }
    if (at < points.size && points[at] == '.') {
        ++at;
        conversion.precision = 0;
        if (const sifr_status status = read_number(points, at, arguments, "precision too big", conversion.precision)) return status;
        if (conversion.precision < 0) conversion.precision = 0;
    }
    if (at < points.size && (points[at] == 'h' || points[at] == 'l' || points[at] == 'L')) ++at;
    if (at >= points.size) return fail(SIFR_VALUE_ERROR, "incomplete format");
    conversion.code = points[at++];
    return SIFR_OK;
}

sifr_status wrong_type(const Conversion& conversion, const sifr_value& value) {
    const bool index = conversion.code == 'o' || conversion.code == 'x' || conversion.code == 'X';
    Text message;
    message << '%' << static_cast<char>(conversion.code) << " format: " << (index ? "an integer" : "a real number") << " is required, not "
            << type_name(value);
    return fail(SIFR_TYPE_ERROR, message);
}

/// `sign` and `prefix` stand in front of a fill of zeros, behind a fill of blanks.
void append_padded(Text& out, const Conversion& conversion, sifr_str sign, sifr_str prefix, sifr_str body, bool zeros) {
    const int64_t size = code_point_count(sign) + prefix.size + code_point_count(body);
    const int64_t missing = conversion.width > size ? conversion.width - size : 0;
    const int64_t left = conversion.left ? 0 : missing;
    if (!zeros) out.fill(' ', left);
    out << sign << prefix;
    if (zeros) out.fill('0', left);
    out << body;
    out.fill(' ', missing - left);
}

sifr_str sign_of(const Conversion& conversion, bool negative) {
    return negative ? lit("-") : conversion.plus ? lit("+") : conversion.blank ? lit(" ") : lit("");
}

sifr_status convert_integer(Text& out, const Conversion& conversion, const sifr_value& value) {
    const bool index = conversion.code == 'o' || conversion.code == 'x' || conversion.code == 'X';
    int64_t number = value.i64;
    if (value.kind == SIFR_KIND_F64 && !index) {
        if (const sifr_status status = sifr_f64_to_i64(value.f64, &number)) return status;
    } else if (value.kind != SIFR_KIND_I64 && value.kind != SIFR_KIND_BOOL) {
        return wrong_type(conversion, value);
    }
    if (conversion.precision > INT32_MAX) return fail(SIFR_OVERFLOW_ERROR, "precision too large");
    const uint64_t base = conversion.code == 'o' ? 8 : conversion.code == 'x' || conversion.code == 'X' ? 16 : 10;
    const char* digits = conversion.code == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    uint64_t rest = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
    char reversed[64];
    int32_t count = 0;
    do {
        reversed[count++] = digits[rest % base];
        rest /= base;
    } while (rest != 0);
    Text body;
    body.fill('0', conversion.precision > count ? conversion.precision - count : 0);
    while (count > 0) body << reversed[--count];
    Text prefix;
    if (conversion.alternate && index) prefix << '0' << static_cast<char>(conversion.code);
    append_padded(out, conversion, sign_of(conversion, number < 0), prefix.view(), body.view(), conversion.zero);
    return SIFR_OK;
}

sifr_status convert_float(Text& out, const Conversion& conversion, const sifr_value& value) {
    double number = value.f64;
    if (value.kind == SIFR_KIND_I64 || value.kind == SIFR_KIND_BOOL) {
        number = static_cast<double>(value.i64);
    } else if (value.kind != SIFR_KIND_F64) {
        Text message;
        message << "must be real number, not " << type_name(value);
        return fail(SIFR_TYPE_ERROR, message);
    }
    if (conversion.precision > INT32_MAX) return fail(SIFR_VALUE_ERROR, "precision too big");
    FloatFormat format;
    format.code = static_cast<char>(conversion.code);
    format.precision = conversion.precision < 0 ? 6 : static_cast<int32_t>(conversion.precision);
    format.alternate = conversion.alternate;
    Text body;
    append_float(body, number, format);
    const bool negative = body[0] == '-';
    const int64_t skip = negative ? 1 : 0;
    append_padded(out, conversion, sign_of(conversion, negative), lit(""), {body.data + skip, body.size - skip}, conversion.zero);
    return SIFR_OK;
}

sifr_status convert_character(Text& out, const Conversion& conversion, const sifr_value& value) {
    Text body;
    if (value.kind == SIFR_KIND_I64 || value.kind == SIFR_KIND_BOOL) {
        if (value.i64 < 0 || value.i64 > 0x10FFFF) return fail(SIFR_OVERFLOW_ERROR, "%c arg not in range(0x110000)");
        append_code_point(body, static_cast<uint32_t>(value.i64));
    } else if (value.kind == SIFR_KIND_STR && code_point_count(value.text) == 1) {
        body << value.text;
    } else {
        return fail(SIFR_TYPE_ERROR, "%c requires int or char");
    }
    append_padded(out, conversion, lit(""), lit(""), body.view(), false);
    return SIFR_OK;
}

void convert_text(Text& out, const Conversion& conversion, const sifr_value& value) {
    Text body;
    append_str(body, value, conversion.code != 's');
    if (conversion.code == 'a') {
        Text plain;
        append_ascii(plain, body.view());
        body.size = 0;
        body << plain.view();
    }
    sifr_str shown = body.view();
    if (conversion.precision >= 0) shown.size = byte_of(shown, conversion.precision, 0);
    append_padded(out, conversion, lit(""), lit(""), shown, false);
}

sifr_status convert(Text& out, const Conversion& conversion, Arguments& arguments, int64_t at) {
    const uint32_t code = conversion.code;
    const sifr_value* value = arguments.take();
    if (value == nullptr) return SIFR_TYPE_ERROR;
    const char* known = code < 128 ? strchr("sradiuoxXeEfFgGc", static_cast<char>(code)) : nullptr;
    if (known == nullptr || code == 0) {
        Text message;
        char hex[16];
        snprintf(hex, sizeof hex, "0x%x", code);
        const char printed = code > 31 && code < 128 ? static_cast<char>(code) : '?';
        message << "unsupported format character '" << printed << "' (" << hex << ") at index " << at - 1;
        return fail(SIFR_VALUE_ERROR, message);
    }
    if (code == 's' || code == 'r' || code == 'a') {
        convert_text(out, conversion, *value);
        return SIFR_OK;
    }
    if (code == 'c') return convert_character(out, conversion, *value);
    if (strchr("diuoxX", static_cast<char>(code)) != nullptr) return convert_integer(out, conversion, *value);
    return convert_float(out, conversion, *value);
}

}  // namespace

extern "C" {

sifr_status sifr_percent_format(sifr_str format, const sifr_value* values, int64_t count, bool mapping, sifr_str* out) {
    Scratch<uint32_t> points;
    const char* p = format.data;
    const char* end = format.data + format.size;
    while (p < end) points.push(next_code_point(p, end));
    Arguments arguments{values, count};
    Text text;
    for (int64_t at = 0; at < points.size;) {
        const uint32_t c = points[at++];
        if (c != '%') {
            append_code_point(text, c);
            continue;
        }
        if (at < points.size && points[at] == '%') {  // only right behind: `%5%` is a conversion that does not exist
            text << '%';
            ++at;
            continue;
        }
        if (at < points.size && points[at] == '(') return fail(SIFR_TYPE_ERROR, "format requires a mapping");
        Conversion conversion;
        if (const sifr_status status = parse_conversion(points, at, arguments, conversion)) return status;
        if (const sifr_status status = convert(text, conversion, arguments, at)) return status;
    }
    if (arguments.next < count && !mapping) return fail(SIFR_TYPE_ERROR, "not all arguments converted during string formatting");
    *out = text.done();
    return SIFR_OK;
}

}  // extern "C"
