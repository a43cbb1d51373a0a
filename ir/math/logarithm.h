#pragma once

#include <limits>

#include "ir/math/arithmetic.h"
#include "ir/math/exponential.h"

// log and its relatives. x = 2^n·m with m in [√½, √2); log m through s = f/(2+f), f = m - 1.

namespace sifr::math {

/// x = 2^n · (1 + f), for positive finite x (subnormals included).
template <class O>
struct LogParts {
    Int<O> n;
    Real<O> f;
};

template <class O>
LogParts<O> log_parts(Real<O> x) {
    constexpr int mantissa = Real<O>::mantissa;
    Mask<O> tiny = named("tiny", x < (O::is_double ? 0x1p-1022 : 0x1p-126));
    Real<O> big = named("big", select(tiny, x * (O::is_double ? 0x1p54 : 0x1p25), x));
    Int<O> i = big.bits();
    // Moves √½ to the bottom of a binade, so that the exponent's step is there.
    int64_t offset = O::is_double ? 0x3ff0000000000000 - 0x3fe6a09e667f3bcd : 0x3f800000 - 0x3f3504f3;
    Int<O> moved = i + offset;
    Int<O> n = named("n", (moved >> mantissa) - int64_t{Real<O>::bias});
    Real<O> m = named("m", real_of_bits(i - (n << mantissa)));
    Int<O> exponent = named("exponent", select(tiny, n - (O::is_double ? 54 : 25), n));
    return {exponent, named("f", m - 1.0)};
}

/// log(1+f) = f - (half - s·(half + r)), half = f²/2.
template <class O>
struct LogSeries {
    Real<O> half, s_term;
};
template <class O>
LogSeries<O> log_series(Real<O> f) {
    Real<O> s = named("s", f / (f + 2.0));
    Real<O> z = named("z", s * s);
    Real<O> r = f;
    if constexpr (O::is_double) {
        r = z * polynomial(z, {0x1.5555555555555p-1, 0x1.9999999999d58p-2, 0x1.249249242f05cp-2, 0x1.c71c725c26fd3p-3,
                               0x1.745cdb895bfa3p-3, 0x1.3b215578f8644p-3, 0x1.0f4a6c4815b34p-3, 0x1.10209c662796ap-3});
    } else {
        r = z * polynomial(z, {0x1.555556p-1, 0x1.999878p-2, 0x1.24bbf0p-2, 0x1.cfb94ep-3});
    }
    Real<O> half = named("half", f * f * 0.5);
    return {half, s * (half + r)};
}

/// The values at 0, negative numbers, infinity and NaN, for every logarithm.
template <class O>
Real<O> log_edges(Real<O> x, Real<O> result) {
    double inf = std::numeric_limits<double>::infinity();
    result = select(x == inf, inf, result);
    result = select(x == 0.0, -inf, result);
    result = select(x < 0.0, std::numeric_limits<double>::quiet_NaN(), result);
    return select(is_nan(x), x, result);
}

template <class O>
Real<O> log(Real<O> x) {
    auto [n, f] = log_parts(x);
    auto [half, s_term] = log_series(f);
    Real<O> e = named("e", to_real(n));
    Real<O> low = named("low", fma(e, Ln2Parts<O>::low, s_term));
    return log_edges(x, named("logarithm", fma(e, x.k(Ln2Parts<O>::high), f - (half - low))));
}

/// log(1 + x + x_low) for a small x_low.
template <class O>
Real<O> log1p_of(Real<O> x, Real<O> x_low) {
    Real<O> u = named("u", x + 1.0);
    auto [n, f_of_u] = log_parts(u);
    Mask<O> near = n == 0;
    // What 1 + x lost, relative to u.
    Real<O> lost = named("lost", select(near, 0.0, select(u > 2.0, 1.0 - (u - x), x - (u - 1.0))));
    Real<O> f = named("f", select(near, x, f_of_u));
    Real<O> c = named("c", (lost + x_low) / u);
    auto [half, s_term] = log_series(f);
    Real<O> e = named("e", to_real(n));
    Real<O> low = named("low", fma(e, Ln2Parts<O>::low, s_term + c));
    return log_edges(u, fma(e, x.k(Ln2Parts<O>::high), f - (half - low)));
}

/// log(1 + x), exact at 0.
template <class O>
Real<O> log1p(Real<O> x) {
    return select(abs(x) < (O::is_double ? 0x1p-54 : 0x1p-25), x, log1p_of(x, x.k(0.0)));
}

/// log(x)/log(b) with 1/log(b) in two parts: exact where the quotient is a whole power of 2.
template <class O>
Real<O> log_in_base(Real<O> x, double inverse_high, double inverse_low, double two_high, double two_low) {
    auto [n, f] = log_parts(x);
    auto [half, s_term] = log_series(f);
    // log(1+f) as high + low, `high` short enough for exact sums.
    constexpr int64_t keep = O::is_double ? ~int64_t{0xffffffff} : ~int64_t{0xfff};
    Real<O> high = named("high", real_of_bits((f - half).bits() & keep));
    Real<O> low = named("low", (f - high) - half + s_term);
    Real<O> e = named("e", to_real(n));
    Real<O> main = named("main", high * inverse_high);
    Real<O> rest = named("rest", fma(high, x.k(inverse_high), -main) + fma(high, x.k(inverse_low), low * inverse_high));
    Real<O> whole = named("whole", e * two_high);
    Real<O> sum = named("sum", whole + main);
    Real<O> lost = named("lost", select(e == 0.0, whole, (whole - sum) + main));
    return log_edges(x, sum + (lost + fma(e, x.k(two_low), rest)));
}

template <class O>
Real<O> log2(Real<O> x) {
    return O::is_double ? log_in_base(x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, 1.0, 0.0)
                        : log_in_base(x, 0x1.715476p+0, 0x1.4ae0cp-26, 1.0, 0.0);
}

template <class O>
Real<O> log10(Real<O> x) {
    return O::is_double ? log_in_base(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.34413509f7800p-2, 0x1.fef311f12b358p-46)
                        : log_in_base(x, 0x1.bcb7b2p-2, -0x1.5b235ep-27, 0x1.344000p-2, 0x1.3509f8p-18);
}

}  // namespace sifr::math
