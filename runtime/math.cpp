// Python's math module: libm, with Python's exceptions where libm gives NaN or infinity.

#include <math.h>

#include "runtime/internal.h"

using namespace sifr::rt;

namespace {

sifr_status domain_error() {
    return fail(SIFR_VALUE_ERROR, "math domain error");
}

sifr_status range_error() {
    return fail(SIFR_OVERFLOW_ERROR, "math range error");
}

constexpr double pi = 3.14159265358979323846;

double degrees(double x) { return x * (180.0 / pi); }
double radians(double x) { return x * (pi / 180.0); }

/// What an infinite result of a finite argument means.
enum class Pole { Domain, Range };

struct Row {
    double (*function)(double);
    Pole pole;
};

// In the order of sifr_math1.
const Row rows[] = {
    {sqrt, Pole::Domain},   {exp, Pole::Range},      {expm1, Pole::Range},   {log, Pole::Domain},    {log2, Pole::Domain},
    {log10, Pole::Domain},  {log1p, Pole::Domain},   {sin, Pole::Domain},    {cos, Pole::Domain},    {tan, Pole::Domain},
    {asin, Pole::Domain},   {acos, Pole::Domain},    {atan, Pole::Domain},   {sinh, Pole::Range},    {cosh, Pole::Range},
    {tanh, Pole::Domain},   {asinh, Pole::Domain},   {acosh, Pole::Domain},  {atanh, Pole::Domain},  {erf, Pole::Domain},
    {erfc, Pole::Domain},   {tgamma, Pole::Range},   {lgamma, Pole::Range},  {fabs, Pole::Domain},   {degrees, Pole::Range},
    {radians, Pole::Range}, {cbrt, Pole::Range},     {exp2, Pole::Range},
};

sifr_status whole(double x, int64_t* out) {
    return sifr_f64_to_i64(x, out);
}

sifr_status log_checked(double x, double* out) {
    return sifr_math_call1(SIFR_MATH_LOG, x, out);
}

}  // namespace

extern "C" {

sifr_status sifr_math_call1(int32_t function, double x, double* out) {
    // Gamma has poles at the whole numbers that are not positive; libm gives infinity or NaN for them.
    const bool gamma = function == SIFR_MATH_GAMMA || function == SIFR_MATH_LGAMMA;
    if (gamma && isfinite(x) && x <= 0 && x == floor(x)) return domain_error();
    if (function == SIFR_MATH_GAMMA && isinf(x) && x < 0) return domain_error();
    const double result = rows[function].function(x);
    if (isnan(result) && !isnan(x)) return domain_error();
    const bool conversion = function == SIFR_MATH_DEGREES;  // plain arithmetic in Python: infinity is no error
    if (isinf(result) && isfinite(x) && !conversion) return rows[function].pole == Pole::Domain ? domain_error() : range_error();
    *out = result;
    return SIFR_OK;
}

sifr_status sifr_math_call2(int32_t function, double x, double y, double* out) {
    switch (function) {
        case SIFR_MATH_POW: {
            if (x == 0 && y < 0 && isfinite(y)) return domain_error();
            const double result = pow(x, y);
            if (isnan(result) && !isnan(x) && !isnan(y)) return domain_error();
            if (isinf(result) && isfinite(x) && isfinite(y)) return range_error();
            *out = result;
            return SIFR_OK;
        }
        case SIFR_MATH_FMOD: {
            const double result = fmod(x, y);
            if (isnan(result) && !isnan(x) && !isnan(y)) return domain_error();
            *out = result;
            return SIFR_OK;
        }
        case SIFR_MATH_REMAINDER: {
            const double result = remainder(x, y);
            if (isnan(result) && !isnan(x) && !isnan(y)) return domain_error();
            *out = result == 0 ? copysign(0.0, x) : result;
            return SIFR_OK;
        }
        case SIFR_MATH_HYPOT: {
            const double result = hypot(x, y);
            *out = result;
            return SIFR_OK;
        }
        case SIFR_MATH_LOG_BASE: {
            double numerator = 0;
            double denominator = 0;
            if (const sifr_status status = log_checked(x, &numerator)) return status;
            if (const sifr_status status = log_checked(y, &denominator)) return status;
            if (denominator == 0) return fail(SIFR_ZERO_DIVISION_ERROR, "float division by zero");
            *out = numerator / denominator;
            return SIFR_OK;
        }
        case SIFR_MATH_COPYSIGN: *out = copysign(x, y); return SIFR_OK;
        default: *out = atan2(x, y); return SIFR_OK;
    }
}

sifr_status sifr_math_floor(double x, int64_t* out) {
    return whole(floor(x), out);
}

sifr_status sifr_math_ceil(double x, int64_t* out) {
    return whole(ceil(x), out);
}

sifr_status sifr_math_gcd(int64_t a, int64_t b, int64_t* out) {
    uint64_t x = a < 0 ? 0 - static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
    uint64_t y = b < 0 ? 0 - static_cast<uint64_t>(b) : static_cast<uint64_t>(b);
    while (y != 0) {
        const uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    if (x > static_cast<uint64_t>(INT64_MAX)) return fail(SIFR_OVERFLOW_ERROR, "integer overflow: a run-time int has 64 bits");
    *out = static_cast<int64_t>(x);
    return SIFR_OK;
}

sifr_status sifr_math_isqrt(int64_t n, int64_t* out) {
    if (n < 0) return fail(SIFR_VALUE_ERROR, "isqrt() argument must be nonnegative");
    auto root = static_cast<uint64_t>(sqrt(static_cast<double>(n)));  // off by one at most
    while (root * root > static_cast<uint64_t>(n)) --root;
    while ((root + 1) * (root + 1) <= static_cast<uint64_t>(n)) ++root;
    *out = static_cast<int64_t>(root);
    return SIFR_OK;
}

sifr_status sifr_math_factorial(int64_t n, int64_t* out) {
    if (n < 0) return fail(SIFR_VALUE_ERROR, "factorial() not defined for negative values");
    int64_t result = 1;
    for (int64_t k = 2; k <= n; ++k) {
        if (__builtin_mul_overflow(result, k, &result)) return fail(SIFR_OVERFLOW_ERROR, "integer overflow: a run-time int has 64 bits");
    }
    *out = result;
    return SIFR_OK;
}

sifr_status sifr_math_comb(int64_t n, int64_t k, int64_t* out) {
    if (n < 0) return fail(SIFR_VALUE_ERROR, "n must be a non-negative integer");
    if (k < 0) return fail(SIFR_VALUE_ERROR, "k must be a non-negative integer");
    if (k > n) {
        *out = 0;
        return SIFR_OK;
    }
    if (k > n - k) k = n - k;
    // After step j the result is comb(n - k + j, j), which grows with j: one that is too large says that the last one is.
    uint64_t result = 1;
    for (int64_t j = 1; j <= k; ++j) {
        uint64_t high = 0;
        uint64_t low = 0;
        uint64_t rest = 0;
        multiply_128(result, static_cast<uint64_t>(n - k + j), high, low);
        const bool fits = high < static_cast<uint64_t>(j);
        if (fits) result = divide_128(high, low, static_cast<uint64_t>(j), rest);
        if (!fits || result > static_cast<uint64_t>(INT64_MAX)) {
            return fail(SIFR_OVERFLOW_ERROR, "integer overflow: a run-time int has 64 bits");
        }
    }
    *out = static_cast<int64_t>(result);
    return SIFR_OK;
}

}  // extern "C"
