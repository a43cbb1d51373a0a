// A double in one of Python's float formats: e f g, their upper case, and r (repr).

#include <math.h>

#include "runtime/internal.h"

namespace sifr::rt {

void append_float(Text& out, double value, const FloatFormat& format) {
    const bool upper = format.code == 'E' || format.code == 'F' || format.code == 'G';
    const char code = upper ? static_cast<char>(format.code | 0x20) : format.code;
    if (isnan(value)) {
        out << (upper ? "NAN" : "nan");
        return;
    }
    if (isinf(value)) {
        out << (value < 0 ? "-" : "") << (upper ? "INF" : "inf");
        return;
    }
    // Which digits, whether with an exponent, and up to which digit zeros are filled in.
    Digits digits;
    bool with_exponent = false;
    int64_t filled_to = 0;
    const double magnitude = fabs(value);
    switch (code) {
        case 'e':
            significant_digits(magnitude, format.precision + 1, digits);
            with_exponent = true;
            filled_to = format.precision + 1;
            break;
        case 'f':
            fixed_digits(magnitude, format.precision, digits);
            filled_to = digits.point + static_cast<int64_t>(format.precision);
            break;
        case 'g': {
            const int32_t precision = format.precision == 0 ? 1 : format.precision;
            significant_digits(magnitude, precision, digits);
            while (digits.text.size > 1 && digits.text[digits.text.size - 1] == '0') --digits.text.size;
            with_exponent = digits.point <= -4 || digits.point > precision - (format.add_dot_0 ? 1 : 0);
            filled_to = format.alternate ? precision : 0;
            break;
        }
        default:
            shortest_digits(magnitude, digits);
            with_exponent = digits.point <= -4 || digits.point > 16;
            break;
    }
    const bool is_zero = digits.text.size == 0 || (digits.text.size == 1 && digits.text[0] == '0');
    if (signbit(value) && !(format.no_negative_zero && is_zero)) out << '-';
    int64_t point = digits.point;
    int64_t exponent = 0;
    if (with_exponent) {
        exponent = point - 1;
        point = 1;
    }
    const int64_t start = point <= 0 ? point - 1 : 0;  // digits count from here; those below 0 are zeros
    int64_t end = filled_to > digits.text.size ? filled_to : digits.text.size;
    const int64_t least = !with_exponent && format.add_dot_0 ? point + 1 : point;
    if (end < least) end = least;
    for (int64_t k = start; k < end; ++k) {
        if (k == point) out << '.';
        out << (k >= 0 && k < digits.text.size ? digits.text[k] : '0');
    }
    if (end == point && format.alternate) out << '.';
    if (with_exponent) {
        const int64_t size = exponent < 0 ? -exponent : exponent;
        out << (upper ? 'E' : 'e') << (exponent < 0 ? '-' : '+');
        if (size < 10) out << '0';
        out << size;
    }
}

}  // namespace sifr::rt
