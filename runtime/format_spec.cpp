// Python's format mini-language: [[fill]align][sign][z][#][0][width][grouping][.precision][type], as Python 3.11 reads it.

#include <math.h>
#include <stdio.h>

#include <initializer_list>

#include "runtime/internal.h"

using namespace sifr::rt;

namespace {

struct Spec {
    Text fill;             // one code point
    char align = '\0';     // < > = ^, resolved to the type's default
    char sign = '\0';      // + - space, or none
    bool no_negative_zero = false;
    bool alternate = false;
    int64_t width = -1;
    char grouping = '\0';  // , _ or none
    int64_t precision = -1;
    uint32_t type = 0;     // 0: none given
};

bool is_align(uint32_t c) {
    return c == '<' || c == '>' || c == '=' || c == '^';
}

/// Appends a code point as the messages show it.
void append_shown(Text& out, uint32_t c) {
    if (c > 32 && c < 128) {
        out << '\'' << static_cast<char>(c) << '\'';
        return;
    }
    char hex[16];
    snprintf(hex, sizeof hex, "'\\x%x'", c);
    out << hex;
}

/// Code points of a spec, with a cursor.
struct SpecReader {
    Scratch<uint32_t> points;
    int64_t at = 0;

    explicit SpecReader(sifr_str spec) {
        const char* p = spec.data;
        const char* end = spec.data + spec.size;
        while (p < end) points.push(next_code_point(p, end));
    }
    [[nodiscard]] int64_t left() const { return points.size - at; }
    [[nodiscard]] bool is(uint32_t c) const { return at < points.size && points[at] == c; }
    bool take(uint32_t c) {
        if (!is(c)) return false;
        ++at;
        return true;
    }
    /// A number; -1 when there is none. False when it does not fit.
    bool number(int64_t& value) {
        value = -1;
        while (at < points.size && points[at] >= '0' && points[at] <= '9') {
            if (value < 0) value = 0;
            const int64_t digit = int64_t{points[at]} - '0';
            if (__builtin_mul_overflow(value, int64_t{10}, &value) || __builtin_add_overflow(value, digit, &value)) return false;
            ++at;
        }
        return true;
    }
};

sifr_status parse_spec(sifr_str text, const char* type_name, char default_align, Spec& spec) {
    SpecReader reader(text);
    bool fill_given = false;
    bool align_given = false;
    spec.align = default_align;
    uint32_t fill = ' ';
    if (reader.left() >= 2 && is_align(reader.points[1])) {
        fill = reader.points[0];
        spec.align = static_cast<char>(reader.points[1]);
        fill_given = align_given = true;
        reader.at = 2;
    } else if (reader.left() >= 1 && is_align(reader.points[0])) {
        spec.align = static_cast<char>(reader.points[0]);
        align_given = true;
        reader.at = 1;
    }
    for (const char sign : {' ', '+', '-'}) {
        if (spec.sign == '\0' && reader.take(static_cast<uint32_t>(sign))) spec.sign = sign;
    }
    spec.no_negative_zero = reader.take('z');
    spec.alternate = reader.take('#');
    if (!fill_given && reader.take('0')) {
        fill = '0';
        if (!align_given && default_align == '>') spec.align = '=';
    }
    append_code_point(spec.fill, fill);
    if (!reader.number(spec.width)) return fail(SIFR_VALUE_ERROR, "Too many decimal digits in format string");
    if (reader.take(',')) spec.grouping = ',';
    if (reader.is('_')) {
        if (spec.grouping != '\0') return fail(SIFR_VALUE_ERROR, "Cannot specify both ',' and '_'.");
        reader.take('_');
        spec.grouping = '_';
    }
    if (reader.is(',') && spec.grouping == '_') return fail(SIFR_VALUE_ERROR, "Cannot specify both ',' and '_'.");
    if (reader.take('.')) {
        if (!reader.number(spec.precision)) return fail(SIFR_VALUE_ERROR, "Too many decimal digits in format string");
        if (spec.precision < 0) return fail(SIFR_VALUE_ERROR, "Format specifier missing precision");
    }
    if (reader.left() > 1) {
        Text message;
        message << "Invalid format specifier '" << text << "' for object of type '" << type_name << '\'';
        return fail(SIFR_VALUE_ERROR, message);
    }
    if (reader.left() == 1) spec.type = reader.points[reader.at];
    if (spec.type == 0 && default_align == '<') spec.type = 's';
    if (spec.grouping != '\0') {
        const uint32_t type = spec.type;
        const bool decimal = type == 0 || (type < 128 && strchr("defgEG%F", static_cast<char>(type)) != nullptr);
        const bool binary = type == 'b' || type == 'o' || type == 'x' || type == 'X';
        if (!decimal && !(binary && spec.grouping == '_')) {
            Text message;
            message << "Cannot specify '" << spec.grouping << "' with ";
            append_shown(message, type);
            message << '.';
            return fail(SIFR_VALUE_ERROR, message);
        }
    }
    return SIFR_OK;
}

sifr_status unknown_code(const Spec& spec, const char* type_name) {
    Text message;
    message << "Unknown format code ";
    append_shown(message, spec.type);
    message << " for object of type '" << type_name << '\'';
    return fail(SIFR_VALUE_ERROR, message);
}

void append_fill(Text& out, const Spec& spec, int64_t count) {
    for (int64_t k = 0; k < count; ++k) out << spec.fill.view();
}

/// A number in parts: sign and prefix stand in front of `=` padding; only `whole` is grouped.
struct NumberParts {
    bool negative = false;
    Text prefix;
    Text whole;
    Text rest;  ///< point, fraction, exponent, percent sign; `inf` and `nan`
};

/// Whole digits with separators, filled with zeros to at least `least` columns; a separator never stands in front.
void append_grouped(Text& out, sifr_str digits, char separator, int64_t group, int64_t least) {
    Text reversed;
    int64_t taken = 0;
    int64_t in_group = 0;
    while (taken < digits.size || reversed.size < least) {
        if (separator != '\0' && in_group == group) {
            reversed << separator;
            in_group = 0;
        }
        reversed << (taken < digits.size ? digits.data[digits.size - 1 - taken] : '0');
        ++taken;
        ++in_group;
    }
    for (int64_t k = reversed.size - 1; k >= 0; --k) out << reversed[k];
}

sifr_str layout_number(const NumberParts& parts, const Spec& spec, int64_t group) {
    char sign = '\0';
    if (parts.negative) {
        sign = '-';
    } else if (spec.sign == '+' || spec.sign == ' ') {
        sign = spec.sign;
    }
    const int64_t around = (sign != '\0' ? 1 : 0) + code_point_count(parts.prefix.view()) + code_point_count(parts.rest.view());
    const bool zero_filled = spec.align == '=' && parts.whole.size > 0 && sifr_str_equal(spec.fill.view(), lit("0"));
    Text whole;
    append_grouped(whole, parts.whole.view(), spec.grouping, group, zero_filled ? spec.width - around : 0);
    const int64_t padding = spec.width - around - code_point_count(whole.view());
    const int64_t missing = padding > 0 ? padding : 0;
    const int64_t left = spec.align == '>' ? missing : spec.align == '^' ? missing / 2 : 0;
    const int64_t middle = spec.align == '=' ? missing : 0;
    Text out;
    append_fill(out, spec, left);
    if (sign != '\0') out << sign;
    out << parts.prefix.view();
    append_fill(out, spec, middle);
    out << whole.view() << parts.rest.view();
    append_fill(out, spec, missing - left - middle);
    return out.done();
}

sifr_status format_as_float(double value, const Spec& spec, sifr_str* out) {
    if (spec.precision > INT32_MAX) return fail(SIFR_VALUE_ERROR, "precision too big");
    FloatFormat format;
    format.alternate = spec.alternate;
    format.no_negative_zero = spec.no_negative_zero;
    const bool percent = spec.type == '%';
    if (spec.type == 0) {
        format.add_dot_0 = true;
        format.code = spec.precision < 0 ? 'r' : 'g';
    } else {
        format.code = spec.type == 'n' ? 'g' : percent ? 'f' : static_cast<char>(spec.type);
    }
    format.precision = spec.precision < 0 ? 6 : static_cast<int32_t>(spec.precision);
    Text plain;
    append_float(plain, percent ? value * 100 : value, format);
    if (percent) plain << '%';
    NumberParts parts;
    int64_t at = 0;
    parts.negative = plain[0] == '-';
    at = parts.negative ? 1 : 0;
    const int64_t whole = at;
    while (at < plain.size && plain[at] >= '0' && plain[at] <= '9') ++at;
    parts.whole.append(plain.data + whole, at - whole);
    parts.rest.append(plain.data + at, plain.size - at);
    *out = layout_number(parts, spec, 3);
    return SIFR_OK;
}

/// What integer formats refuse.
sifr_status check_integer_spec(const Spec& spec) {
    if (spec.precision >= 0) return fail(SIFR_VALUE_ERROR, "Precision not allowed in integer format specifier");
    if (spec.no_negative_zero) return fail(SIFR_VALUE_ERROR, "Negative zero coercion (z) not allowed in integer format specifier");
    return SIFR_OK;
}

bool is_float_type(uint32_t type) {
    return type == 'e' || type == 'E' || type == 'f' || type == 'F' || type == 'g' || type == 'G' || type == '%';
}

sifr_status format_character(int64_t value, const Spec& spec, sifr_str* out) {
    if (spec.sign != '\0') return fail(SIFR_VALUE_ERROR, "Sign not allowed with integer format specifier 'c'");
    if (spec.alternate) return fail(SIFR_VALUE_ERROR, "Alternate form (#) not allowed with integer format specifier 'c'");
    if (value < 0 || value > 0x10FFFF) return fail(SIFR_OVERFLOW_ERROR, "%c arg not in range(0x110000)");
    NumberParts parts;
    append_code_point(parts.rest, static_cast<uint32_t>(value));
    *out = layout_number(parts, spec, 3);
    return SIFR_OK;
}

sifr_status format_integer(int64_t value, sifr_str text, const char* type_name, sifr_str* out) {
    Spec spec;
    if (const sifr_status status = parse_spec(text, type_name, '>', spec)) return status;
    if (is_float_type(spec.type)) return format_as_float(static_cast<double>(value), spec, out);
    const uint32_t type = spec.type == 0 ? 'd' : spec.type;
    if (type > 127 || strchr("bcdoxXn", static_cast<char>(type)) == nullptr) return unknown_code(spec, type_name);
    if (const sifr_status status = check_integer_spec(spec)) return status;
    if (type == 'c') return format_character(value, spec, out);
    const uint32_t base = type == 'b' ? 2 : type == 'o' ? 8 : type == 'x' || type == 'X' ? 16 : 10;
    const char* digits = type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    NumberParts parts;
    parts.negative = value < 0;
    uint64_t rest = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    char reversed[64];
    int32_t count = 0;
    do {
        reversed[count++] = digits[rest % base];
        rest /= base;
    } while (rest != 0);
    while (count > 0) parts.whole << reversed[--count];
    if (spec.alternate && base != 10) parts.prefix << '0' << static_cast<char>(type);
    *out = layout_number(parts, spec, base == 10 ? 3 : 4);
    return SIFR_OK;
}

}  // namespace

extern "C" {

sifr_status sifr_format_i64(int64_t value, sifr_str spec, sifr_str* out) {
    if (spec.size == 0) {
        *out = sifr_i64_str(value);
        return SIFR_OK;
    }
    return format_integer(value, spec, "int", out);
}

sifr_status sifr_format_bool(bool value, sifr_str spec, sifr_str* out) {
    if (spec.size == 0) {
        *out = sifr_bool_str(value);
        return SIFR_OK;
    }
    return format_integer(value ? 1 : 0, spec, "bool", out);
}

sifr_status sifr_format_digits(sifr_str digits, sifr_str text, sifr_str* out) {
    if (text.size == 0) {
        *out = digits;
        return SIFR_OK;
    }
    Spec spec;
    if (const sifr_status status = parse_spec(text, "int", '>', spec)) return status;
    if (is_float_type(spec.type)) {
        double value = 0;
        if (const sifr_status status = sifr_float_parse(digits, &value)) return status;
        if (isinf(value)) return fail(SIFR_OVERFLOW_ERROR, "int too large to convert to float");
        return format_as_float(value, spec, out);
    }
    if (spec.type != 0 && (spec.type > 127 || strchr("bcdoxXn", static_cast<char>(spec.type)) == nullptr)) return unknown_code(spec, "int");
    if (const sifr_status status = check_integer_spec(spec)) return status;
    if (spec.type == 'c') return fail(SIFR_OVERFLOW_ERROR, "Python int too large to convert to C long");
    if (spec.type == 'b' || spec.type == 'o' || spec.type == 'x' || spec.type == 'X') {
        return fail(SIFR_NOT_SUPPORTED, "not supported: an int of more than 64 bits in base 2, 8 or 16");
    }
    NumberParts parts;
    parts.negative = digits.size > 0 && digits.data[0] == '-';
    const int64_t sign = parts.negative ? 1 : 0;
    parts.whole.append(digits.data + sign, digits.size - sign);
    *out = layout_number(parts, spec, 3);
    return SIFR_OK;
}

sifr_status sifr_format_f64(double value, sifr_str text, sifr_str* out) {
    if (text.size == 0) {
        *out = sifr_f64_str(value);
        return SIFR_OK;
    }
    Spec spec;
    if (const sifr_status status = parse_spec(text, "float", '>', spec)) return status;
    if (spec.type != 0 && spec.type != 'n' && !is_float_type(spec.type)) return unknown_code(spec, "float");
    return format_as_float(value, spec, out);
}

sifr_status sifr_format_str(sifr_str value, sifr_str text, sifr_str* out) {
    if (text.size == 0) {
        *out = value;
        return SIFR_OK;
    }
    Spec spec;
    if (const sifr_status status = parse_spec(text, "str", '<', spec)) return status;
    if (spec.type != 's') return unknown_code(spec, "str");
    if (spec.sign == ' ') return fail(SIFR_VALUE_ERROR, "Space not allowed in string format specifier");
    if (spec.sign != '\0') return fail(SIFR_VALUE_ERROR, "Sign not allowed in string format specifier");
    if (spec.no_negative_zero) return fail(SIFR_VALUE_ERROR, "Negative zero coercion (z) not allowed in string format specifier");
    if (spec.alternate) return fail(SIFR_VALUE_ERROR, "Alternate form (#) not allowed in string format specifier");
    if (spec.align == '=') return fail(SIFR_VALUE_ERROR, "'=' alignment not allowed in string format specifier");
    int64_t length = code_point_count(value);
    if (spec.precision >= 0 && spec.precision < length) {
        length = spec.precision;
        value.size = byte_of(value, length, 0);
    }
    const int64_t missing = spec.width > length ? spec.width - length : 0;
    const int64_t left = spec.align == '>' ? missing : spec.align == '^' ? missing / 2 : 0;
    Text padded;
    append_fill(padded, spec, left);
    padded << value;
    append_fill(padded, spec, missing - left);
    *out = padded.done();
    return SIFR_OK;
}

}  // extern "C"
