// Python's numbers as text and from text, and rounding in decimal.

#include <initializer_list>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "runtime/internal.h"

using namespace sifr::rt;

namespace sifr::rt {

void append_f64(Text& out, double value) {
    if (isnan(value)) {
        out << "nan";
        return;
    }
    if (signbit(value)) out << '-';
    if (isinf(value)) {
        out << "inf";
        return;
    }
    Digits digits;
    shortest_digits(fabs(value), digits);
    const sifr_str d = digits.text.view();
    if (digits.point > 16 || digits.point < -3) {  // d.ddde±XX
        out << d.data[0];
        if (d.size > 1) out << '.';
        out.append(d.data + 1, d.size - 1);
        const int32_t exponent = digits.point - 1;
        const int32_t magnitude = exponent < 0 ? -exponent : exponent;
        out << 'e' << (exponent < 0 ? '-' : '+');
        if (magnitude < 10) out << '0';
        out << magnitude;
    } else if (digits.point <= 0) {
        out << "0.";
        out.fill('0', -digits.point);
        out << d;
    } else if (digits.point >= d.size) {
        out << d;
        out.fill('0', digits.point - d.size);
        out << ".0";
    } else {
        out.append(d.data, digits.point);
        out << '.';
        out.append(d.data + digits.point, d.size - digits.point);
    }
}

namespace {

/// A part of a complex number: as a float, but a whole number has no `.0`.
void append_part(Text& out, double value) {
    const int64_t start = out.size;
    append_f64(out, value);
    if (out.size - start > 2 && out[out.size - 1] == '0' && out[out.size - 2] == '.') out.size -= 2;
}

}  // namespace

void append_complex(Text& out, double real, double imaginary) {
    if (real == 0 && !signbit(real)) {
        append_part(out, imaginary);
        out << 'j';
        return;
    }
    out << '(';
    append_part(out, real);
    if (!signbit(imaginary) || isnan(imaginary)) out << '+';
    append_part(out, imaginary);
    out << "j)";
}

}  // namespace sifr::rt

namespace {

/// True when text is `from` and digits of the base with single underscores between them.
struct IntText {
    bool valid = false;
    bool overflow = false;
    bool negative = false;
    uint64_t magnitude = 0;
};

int32_t digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 99;
}

IntText read_int(sifr_str text, int32_t base) {
    IntText result;
    int64_t at = 0;
    if (at < text.size && (text.data[at] == '+' || text.data[at] == '-')) result.negative = text.data[at++] == '-';
    bool underscore_allowed = false;
    bool only_zeros = false;  // base 0 without a prefix: leading zeros are for zero alone
    if (at + 1 < text.size && text.data[at] == '0') {
        const char letter = static_cast<char>(text.data[at + 1] | 0x20);
        const int32_t named = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
        if (named != 0 && (base == 0 || base == named)) {
            base = named;
            at += 2;
            underscore_allowed = true;
        } else if (base == 0) {
            only_zeros = true;
        }
    }
    if (base == 0) base = 10;
    bool digit_seen = false;
    for (; at < text.size; ++at) {
        const char c = text.data[at];
        if (c == '_') {
            if (!underscore_allowed) return result;
            underscore_allowed = false;
            continue;
        }
        const int32_t value = digit_value(c);
        if (value >= base || (only_zeros && value != 0)) return result;
        digit_seen = true;
        underscore_allowed = true;
        if (__builtin_mul_overflow(result.magnitude, static_cast<uint64_t>(base), &result.magnitude) ||
            __builtin_add_overflow(result.magnitude, static_cast<uint64_t>(value), &result.magnitude)) {
            result.overflow = true;
        }
    }
    result.valid = digit_seen && underscore_allowed;
    return result;
}

locale_t c_locale() {
    static locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
    return locale;
}

/// The grammar of float(): digits with single underscores, a point, an exponent; or inf, infinity, nan. Copies without the underscores.
bool clean_float(sifr_str text, Text& out) {
    int64_t at = 0;
    if (at < text.size && (text.data[at] == '+' || text.data[at] == '-')) out << text.data[at++];
    const sifr_str word = {text.data + at, text.size - at};
    for (const char* name : {"inf", "infinity", "nan"}) {
        if (word.size == static_cast<int64_t>(strlen(name)) && strncasecmp(word.data, name, static_cast<size_t>(word.size)) == 0) {
            out << name << '\0';
            return true;
        }
    }
    int64_t digits = 0;
    const auto read_digits = [&] {
        bool last_was_digit = false;
        while (at < text.size) {
            const char c = text.data[at];
            if (c == '_') {
                if (!last_was_digit || at + 1 >= text.size || text.data[at + 1] < '0' || text.data[at + 1] > '9') return false;
                last_was_digit = false;
            } else if (c >= '0' && c <= '9') {
                out << c;
                last_was_digit = true;
                ++digits;
            } else {
                break;
            }
            ++at;
        }
        return true;
    };
    if (!read_digits()) return false;
    if (at < text.size && text.data[at] == '.') {
        out << '.';
        ++at;
        if (!read_digits()) return false;
    }
    if (digits == 0) return false;
    if (at < text.size && (text.data[at] | 0x20) == 'e') {
        out << 'e';
        ++at;
        if (at < text.size && (text.data[at] == '+' || text.data[at] == '-')) out << text.data[at++];
        digits = 0;
        if (!read_digits() || digits == 0) return false;
    }
    out << '\0';
    return at == text.size;
}

double to_double(const Text& terminated) {
    return strtod_l(terminated.data, nullptr, c_locale());
}

}  // namespace

extern "C" {

sifr_str sifr_i64_str(int64_t value) {
    Text text;
    text << value;
    return text.done();
}

sifr_str sifr_f64_str(double value) {
    Text text;
    append_f64(text, value);
    return text.done();
}

sifr_str sifr_bool_str(bool value) {
    return value ? lit("True") : lit("False");
}

sifr_str sifr_complex_str(double real, double imaginary) {
    Text text;
    append_complex(text, real, imaginary);
    return text.done();
}

sifr_status sifr_int_parse(sifr_str text, int32_t base, int64_t* out) {
    if (base != 0 && (base < 2 || base > 36)) return fail(SIFR_VALUE_ERROR, "int() base must be >= 2 and <= 36, or 0");
    const IntText read = read_int(sifr_str_strip(text, {nullptr, 0}), base);
    if (!read.valid) {
        Text message;
        message << "invalid literal for int() with base " << base << ": ";
        append_str_repr(message, text);
        return fail(SIFR_VALUE_ERROR, message);
    }
    const uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (read.negative ? 1 : 0);
    if (read.overflow || read.magnitude > limit) {
        return fail(SIFR_OVERFLOW_ERROR, "integer overflow: a run-time int has 64 bits");
    }
    *out = static_cast<int64_t>(read.negative ? 0 - read.magnitude : read.magnitude);
    return SIFR_OK;
}

sifr_status sifr_float_parse(sifr_str text, double* out) {
    Text cleaned;
    if (!clean_float(sifr_str_strip(text, {nullptr, 0}), cleaned)) {
        Text message;
        message << "could not convert string to float: ";
        append_str_repr(message, text);
        return fail(SIFR_VALUE_ERROR, message);
    }
    *out = to_double(cleaned);
    return SIFR_OK;
}

sifr_status sifr_f64_round_digits(double value, int64_t digits, double* out) {
    if (!isfinite(value) || digits > 323) {
        *out = value;
        return SIFR_OK;
    }
    if (digits < -308) {
        *out = copysign(0.0, value);
        return SIFR_OK;
    }
    Text decimal;
    if (digits >= 0) {
        Digits rounded;
        fixed_digits(fabs(value), static_cast<int32_t>(digits), rounded);
        decimal << "0." << rounded.text.view() << 'e' << rounded.point << '\0';
    } else {
        // The exact whole part, cut at the wanted place; what is cut off decides, half to even.
        Digits exact;
        fixed_digits(fabs(value), 1074, exact);
        const int64_t keep = exact.point + digits;  // digits that stay
        uint64_t up = 0;
        if (keep < 0) {
            up = 0;
        } else {
            const char first = exact.text[keep];
            bool rest = false;
            for (int64_t k = keep + 1; k < exact.text.size; ++k) rest = rest || exact.text[k] != '0';
            const bool odd = keep > 0 && ((exact.text[keep - 1] - '0') & 1) != 0;
            up = first > '5' || (first == '5' && (rest || odd)) ? 1 : 0;
        }
        Text kept;
        kept << '0';
        if (keep > 0) kept.append(exact.text.data, keep);
        for (int64_t k = kept.size - 1; up != 0; --k) {
            up = kept[k] == '9' ? 1 : 0;
            kept[k] = up != 0 ? '0' : static_cast<char>(kept[k] + 1);
        }
        decimal << kept.view() << 'e' << -digits << '\0';
    }
    const double result = to_double(decimal);
    if (isinf(result)) return fail(SIFR_OVERFLOW_ERROR, "rounded value too large to represent");
    *out = copysign(result, value);
    return SIFR_OK;
}

sifr_status sifr_i64_round_digits(int64_t value, int64_t digits, int64_t* out) {
    if (digits >= 0) {
        *out = value;
        return SIFR_OK;
    }
    if (digits < -19) {
        *out = 0;
        return SIFR_OK;
    }
    uint64_t unit = 1;
    for (int64_t k = digits; k < 0; ++k) unit *= 10;
    const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    uint64_t quotient = magnitude / unit;
    const uint64_t rest = magnitude % unit;
    if (rest > unit - rest || (rest == unit - rest && (quotient & 1) != 0)) ++quotient;
    uint64_t rounded = 0;
    const uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (value < 0 ? 1 : 0);
    if (__builtin_mul_overflow(quotient, unit, &rounded) || rounded > limit) {
        return fail(SIFR_OVERFLOW_ERROR, "integer overflow: a run-time int has 64 bits");
    }
    *out = static_cast<int64_t>(value < 0 ? 0 - rounded : rounded);
    return SIFR_OK;
}

}  // extern "C"
