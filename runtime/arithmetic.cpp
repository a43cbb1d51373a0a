// Python's arithmetic on 64-bit ints and doubles, with its exceptions.

#include <math.h>

#include "runtime/internal.h"

using namespace sifr::rt;

namespace {

sifr_status overflow() {
    return fail(SIFR_OVERFLOW_ERROR, "integer overflow: a run-time int has 64 bits");
}

uint64_t magnitude_of(int64_t value) {
    return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

/// a · b mod m, for a and b below m.
uint64_t multiply_modulo(uint64_t a, uint64_t b, uint64_t m) {
    uint64_t high = 0;
    uint64_t low = 0;
    uint64_t rest = 0;
    multiply_128(a, b, high, low);
    divide_128(high, low, m, rest);
    return rest;
}

}  // namespace

extern "C" {

sifr_status sifr_i64_add(int64_t a, int64_t b, int64_t* out) {
    int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) return overflow();
    *out = result;
    return SIFR_OK;
}

sifr_status sifr_i64_sub(int64_t a, int64_t b, int64_t* out) {
    int64_t result = 0;
    if (__builtin_sub_overflow(a, b, &result)) return overflow();
    *out = result;
    return SIFR_OK;
}

sifr_status sifr_i64_mul(int64_t a, int64_t b, int64_t* out) {
    int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) return overflow();
    *out = result;
    return SIFR_OK;
}

sifr_status sifr_i64_neg(int64_t a, int64_t* out) {
    return sifr_i64_sub(0, a, out);
}

sifr_status sifr_i64_abs(int64_t a, int64_t* out) {
    if (a < 0) return sifr_i64_neg(a, out);
    *out = a;
    return SIFR_OK;
}

sifr_status sifr_i64_floordiv(int64_t a, int64_t b, int64_t* out) {
    if (b == 0) return fail(SIFR_ZERO_DIVISION_ERROR, "integer division or modulo by zero");
    if (b == -1) return sifr_i64_neg(a, out);
    const int64_t quotient = a / b;
    *out = a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
    return SIFR_OK;
}

sifr_status sifr_i64_mod(int64_t a, int64_t b, int64_t* out) {
    if (b == 0) return fail(SIFR_ZERO_DIVISION_ERROR, "integer modulo by zero");
    if (b == -1) {
        *out = 0;
        return SIFR_OK;
    }
    const int64_t rest = a % b;
    *out = rest != 0 && (a < 0) != (b < 0) ? rest + b : rest;
    return SIFR_OK;
}

sifr_status sifr_i64_truediv(int64_t a, int64_t b, double* out) {
    if (b == 0) return fail(SIFR_ZERO_DIVISION_ERROR, "division by zero");
    const uint64_t exact = uint64_t{1} << 53;
    const uint64_t x = magnitude_of(a);
    const uint64_t y = magnitude_of(b);
    double result;
    if (x <= exact && y <= exact) {
        result = static_cast<double>(x) / static_cast<double>(y);
    } else {
        // The quotient to at least 55 bits, the last of which is sticky; the conversion to double then rounds once.
        const int32_t x_bits = x == 0 ? 0 : 64 - __builtin_clzll(x);
        const int32_t y_bits = 64 - __builtin_clzll(y);
        int32_t shift = 55 - (x_bits - y_bits);
        if (shift < 0) shift = 0;
        const unsigned __int128 scaled = static_cast<unsigned __int128>(x) << shift;  // 119 bits at most
        uint64_t rest = 0;
        uint64_t quotient = divide_128(static_cast<uint64_t>(scaled >> 64), static_cast<uint64_t>(scaled), y, rest);
        if (rest != 0) quotient |= 1;
        result = ldexp(static_cast<double>(quotient), -shift);
    }
    *out = (a < 0) != (b < 0) ? -result : result;
    return SIFR_OK;
}

sifr_status sifr_i64_lshift(int64_t a, int64_t b, int64_t* out) {
    if (b < 0) return fail(SIFR_VALUE_ERROR, "negative shift count");
    if (a == 0) {
        *out = 0;
        return SIFR_OK;
    }
    if (b > 62) return a == -1 && b == 63 ? (*out = INT64_MIN, SIFR_OK) : overflow();
    const int64_t shifted = static_cast<int64_t>(static_cast<uint64_t>(a) << b);
    if (shifted >> b != a) return overflow();
    *out = shifted;
    return SIFR_OK;
}

sifr_status sifr_i64_rshift(int64_t a, int64_t b, int64_t* out) {
    if (b < 0) return fail(SIFR_VALUE_ERROR, "negative shift count");
    *out = a >> (b > 63 ? 63 : b);
    return SIFR_OK;
}

sifr_status sifr_i64_pow(int64_t a, int64_t b, int64_t* out) {
    if (b < 0) {
        if (a == 0) return fail(SIFR_ZERO_DIVISION_ERROR, "0.0 cannot be raised to a negative power");
        return fail(SIFR_NOT_SUPPORTED, "not supported: a run-time int to a negative power, which is a float; write float(x) ** n");
    }
    int64_t result = 1;
    int64_t base = a;
    while (b > 0) {
        if ((b & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return overflow();
        b >>= 1;
        if (b > 0 && __builtin_mul_overflow(base, base, &base)) return overflow();
    }
    *out = result;
    return SIFR_OK;
}

sifr_status sifr_i64_pow_mod(int64_t a, int64_t b, int64_t m, int64_t* out) {
    if (m == 0) return fail(SIFR_VALUE_ERROR, "pow() 3rd argument cannot be 0");
    if (b < 0) return fail(SIFR_NOT_SUPPORTED, "not supported: pow() with a negative exponent and a modulus");
    const uint64_t modulus = magnitude_of(m);
    uint64_t base = magnitude_of(a) % modulus;
    if (a < 0 && base != 0) base = modulus - base;
    uint64_t result = 1 % modulus;
    for (; b > 0; b >>= 1) {
        if ((b & 1) != 0) result = multiply_modulo(result, base, modulus);
        base = multiply_modulo(base, base, modulus);
    }
    // The result has the sign of the modulus.
    *out = m < 0 && result != 0 ? static_cast<int64_t>(result - modulus) : static_cast<int64_t>(result);
    return SIFR_OK;
}

sifr_status sifr_f64_div(double a, double b, double* out) {
    if (b == 0) return fail(SIFR_ZERO_DIVISION_ERROR, "float division by zero");
    *out = a / b;
    return SIFR_OK;
}

sifr_status sifr_f64_mod(double a, double b, double* out) {
    if (b == 0) return fail(SIFR_ZERO_DIVISION_ERROR, "float modulo");
    double rest = fmod(a, b);
    if (rest == 0) {
        rest = copysign(0.0, b);
    } else if ((b < 0) != (rest < 0)) {
        rest += b;
    }
    *out = rest;
    return SIFR_OK;
}

sifr_status sifr_f64_floordiv(double a, double b, double* out) {
    if (b == 0) return fail(SIFR_ZERO_DIVISION_ERROR, "float floor division by zero");
    double rest = fmod(a, b);
    double quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) {
        *out = copysign(0.0, a / b);
        return SIFR_OK;
    }
    const double down = floor(quotient);
    *out = quotient - down > 0.5 ? down + 1 : down;
    return SIFR_OK;
}

sifr_status sifr_f64_pow(double a, double b, double* out) {
    if (a == 0 && b < 0 && isfinite(b)) return fail(SIFR_ZERO_DIVISION_ERROR, "0.0 cannot be raised to a negative power");
    if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b)) {
        return fail(SIFR_NOT_SUPPORTED, "not supported: a negative float to a fractional power, which is a complex number");
    }
    const double result = pow(a, b);
    if (isinf(result) && isfinite(a) && isfinite(b)) return fail(SIFR_OVERFLOW_ERROR, "(34, 'Numerical result out of range')");
    *out = result;
    return SIFR_OK;
}

sifr_status sifr_f64_to_i64(double value, int64_t* out) {
    if (isnan(value)) return fail(SIFR_VALUE_ERROR, "cannot convert float NaN to integer");
    if (isinf(value)) return fail(SIFR_OVERFLOW_ERROR, "cannot convert float infinity to integer");
    if (value < -0x1p63 || value >= 0x1p63) return overflow();
    *out = static_cast<int64_t>(value);
    return SIFR_OK;
}

int32_t sifr_i64_f64_compare(int64_t a, double b) {
    if (isnan(b)) return 2;
    if (b >= 0x1p63) return -1;
    if (b < -0x1p63) return 1;
    const int64_t whole = static_cast<int64_t>(b);  // towards zero
    if (a != whole) return a < whole ? -1 : 1;
    const double fraction = b - static_cast<double>(whole);
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0;
}

sifr_status sifr_f64_round(double value, int64_t* out) {
    return sifr_f64_to_i64(rint(value), out);
}

}  // extern "C"
