// Decimal digits of doubles: the shortest that read back, and exactly rounded ones.
//
// Shortest digits come from exact big-integer arithmetic (Steele and White's free-format algorithm): value and half the distance to
// its neighbours are kept as fractions over one denominator, and digits are produced until what is left is within that distance.
// Rounded digits come from libc's printf, which is exact; its decimal point, which a host's locale may change, is not relied on.

#include <math.h>
#include <stdio.h>

#include "runtime/internal.h"

namespace sifr::rt {

namespace {

// A natural number below 2^1280: the largest needed is below 10 · 2^1130.
struct Natural {
    static constexpr int32_t capacity = 40;
    uint32_t limb[capacity] = {};
    int32_t size = 0;

    void set(uint64_t value) {
        size = 0;
        while (value != 0) {
            limb[size++] = static_cast<uint32_t>(value);
            value >>= 32;
        }
    }
    void multiply(uint32_t factor) {
        uint64_t carry = 0;
        for (int32_t k = 0; k < size; ++k) {
            carry += static_cast<uint64_t>(limb[k]) * factor;
            limb[k] = static_cast<uint32_t>(carry);
            carry >>= 32;
        }
        if (carry != 0) limb[size++] = static_cast<uint32_t>(carry);
    }
    void power_of_ten(int32_t exponent) {
        for (; exponent >= 9; exponent -= 9) multiply(1000000000);
        for (; exponent > 0; --exponent) multiply(10);
    }
    void shift(int32_t bits) {
        if (size == 0) return;
        const int32_t limbs = bits / 32;
        const int32_t rest = bits % 32;
        for (int32_t k = size - 1; k >= 0; --k) limb[k + limbs] = limb[k];
        for (int32_t k = 0; k < limbs; ++k) limb[k] = 0;
        size += limbs;
        if (rest != 0) multiply(1u << rest);
    }
    void subtract(const Natural& other) {
        int64_t borrow = 0;
        for (int32_t k = 0; k < size; ++k) {
            borrow += static_cast<int64_t>(limb[k]) - (k < other.size ? other.limb[k] : 0);
            limb[k] = static_cast<uint32_t>(borrow);
            borrow >>= 32;
        }
        while (size > 0 && limb[size - 1] == 0) --size;
    }
    void add(const Natural& other) {
        uint64_t carry = 0;
        const int32_t longest = size > other.size ? size : other.size;
        for (int32_t k = 0; k < longest || carry != 0; ++k) {
            carry += k < size ? limb[k] : 0;
            carry += k < other.size ? other.limb[k] : 0;
            limb[k] = static_cast<uint32_t>(carry);
            carry >>= 32;
            if (k >= size) size = k + 1;
        }
    }
};

int32_t compare(const Natural& a, const Natural& b) {
    if (a.size != b.size) return a.size < b.size ? -1 : 1;
    for (int32_t k = a.size - 1; k >= 0; --k) {
        if (a.limb[k] != b.limb[k]) return a.limb[k] < b.limb[k] ? -1 : 1;
    }
    return 0;
}

int32_t compare_sum(const Natural& a, const Natural& b, const Natural& c) {
    Natural sum = a;
    sum.add(b);
    return compare(sum, c);
}

/// printf's text of the value; `conversion` is 'e' or 'f'.
void print_value(double value, char conversion, int32_t precision, Text& out) {
    const char* format = conversion == 'e' ? "%.*e" : "%.*f";
    char small[128];
    const int needed = snprintf(small, sizeof small, format, precision, value);
    out.size = 0;
    if (needed < static_cast<int>(sizeof small)) {
        out.append(small, needed + 1);
        return;
    }
    out.resize(needed + 1);
    snprintf(out.data, static_cast<size_t>(out.size), format, precision, value);
}

/// The digits of printf's text, without point and exponent.
void take_digits(const Text& printed, Text& out) {
    out.size = 0;
    for (const char* p = printed.data; *p != '\0' && *p != 'e'; ++p) {
        if (*p >= '0' && *p <= '9') out << *p;
    }
}

}  // namespace

void shortest_digits(double value, Digits& out) {
    out.text.size = 0;
    if (value == 0) {
        out.text << '0';
        out.point = 1;
        return;
    }
    if (value < 9007199254740992.0 && value == floor(value)) {  // a whole number: its digits, without the zeros at the end
        out.text << static_cast<int64_t>(value);
        out.point = static_cast<int32_t>(out.text.size);
        while (out.text.size > 1 && out.text[out.text.size - 1] == '0') --out.text.size;
        return;
    }
    uint64_t bits;
    memcpy(&bits, &value, 8);
    const int32_t biased = static_cast<int32_t>(bits >> 52);
    const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
    const uint64_t mantissa = biased == 0 ? fraction : fraction | (uint64_t{1} << 52);
    const int32_t exponent = (biased == 0 ? 1 : biased) - 1075;
    const bool even = (mantissa & 1) == 0;          // then the borders of the interval read back as the value too
    const bool narrow = fraction == 0 && biased > 1;  // the lower neighbour is half as far

    // value = r / s; low = half the distance down = minus / s; high = half the distance up = plus / s.
    Natural r, s, plus, minus;
    r.set(mantissa);
    s.set(1);
    plus.set(1);
    minus.set(1);
    if (exponent >= 0) {
        r.shift(exponent + (narrow ? 2 : 1));
        s.shift(narrow ? 2 : 1);
        plus.shift(exponent + (narrow ? 1 : 0));
        minus.shift(exponent);
    } else {
        r.shift(narrow ? 2 : 1);
        s.shift(-exponent + (narrow ? 2 : 1));
        if (narrow) plus.shift(1);
    }
    int32_t point = static_cast<int32_t>(ceil(log10(value) - 1e-10));
    if (point >= 0) {
        s.power_of_ten(point);
    } else {
        r.power_of_ten(-point);
        plus.power_of_ten(-point);
        minus.power_of_ten(-point);
    }
    const int32_t reach = compare_sum(r, plus, s);
    if (even ? reach >= 0 : reach > 0) {  // the estimate was one too small
        s.multiply(10);
        ++point;
    }
    out.point = point;
    for (;;) {
        r.multiply(10);
        plus.multiply(10);
        minus.multiply(10);
        char digit = '0';
        while (compare(r, s) >= 0) {
            r.subtract(s);
            ++digit;
        }
        const int32_t low_order = compare(r, minus);
        const int32_t high_order = compare_sum(r, plus, s);
        const bool low = even ? low_order <= 0 : low_order < 0;
        const bool high = even ? high_order >= 0 : high_order > 0;
        if (!low && !high) {
            out.text << digit;
            continue;
        }
        if (low && high) {
            Natural twice = r;
            twice.multiply(2);
            const int32_t half = compare(twice, s);
            if (half > 0 || (half == 0 && ((digit - '0') & 1) != 0)) ++digit;
        } else if (high) {
            ++digit;
        }
        out.text << digit;
        return;
    }
}

void fixed_digits(double value, int32_t precision, Digits& out) {
    Text printed;
    print_value(value, 'f', precision, printed);
    take_digits(printed, out.text);
    out.point = static_cast<int32_t>(out.text.size) - precision;
    int64_t zeros = 0;  // printf's "0" in front of the point is no digit of ours
    while (zeros < out.text.size - 1 && out.text[zeros] == '0') ++zeros;
    memmove(out.text.data, out.text.data + zeros, static_cast<size_t>(out.text.size - zeros));
    out.text.size -= zeros;
    out.point -= static_cast<int32_t>(zeros);
    if (out.text[0] == '0') {  // nothing is left: no digit, or the one zero of 0
        out.text.size = value == 0 ? 1 : 0;
        out.point = value == 0 ? 1 : -precision;
    }
}

void significant_digits(double value, int32_t count, Digits& out) {
    Text printed;
    print_value(value, 'e', count - 1, printed);
    take_digits(printed, out.text);
    out.point = 1;
    if (value != 0) out.point = atoi(strchr(printed.data, 'e') + 1) + 1;
}

}  // namespace sifr::rt
