#pragma once

#include "ir/math/arithmetic.h"

// exp and its relatives. x = n·ln2 + r with |r| <= ln2/2; e^x = 2^n·e^r.

namespace sifr::math {

/// e^x = 2^n · (1 + r + rest): r exact, `rest` what the series adds.
template <class O>
struct ExpParts {
    Real<O> r, rest;
    Int<O> n;
};

inline constexpr double log2_e = 0x1.71547652b82fep+0;

/// (e^r - 1 - r) / r² on |r| <= 0.35
template <class O>
Real<O> exp_quadratic(Real<O> r) {
    if constexpr (O::is_double) {
        return polynomial(r, {0x1.000000000000dp-1, 0x1.555555555555fp-3, 0x1.555555554f7dcp-5, 0x1.111111110dcf2p-7, 0x1.6c16c1876fdadp-10,
                              0x1.a01a01b8ece04p-13, 0x1.a01991c5c9096p-16, 0x1.71dde3a21efffp-19, 0x1.28b4b98b481dap-22,
                              0x1.af80236c57b12p-26});
    } else {
        return polynomial(r, {0x1.0p-1, 0x1.555486p-3, 0x1.5554d4p-5, 0x1.1241d0p-7, 0x1.6d649ap-10});
    }
}

template <class O>
struct Ln2Parts {
    // Products of `high` with an exponent's integer are exact.
    static constexpr double high = O::is_double ? 0x1.62e42fefa3800p-1 : 0x1.62e400p-1;
    static constexpr double low = O::is_double ? 0x1.ef35793c76730p-45 : 0x1.7f7d1cp-20;
};

template <class O>
ExpParts<O> exp_parts(Real<O> x) {
    auto [n, i] = nearest_of_product(x, log2_e);
    Real<O> high = named("high", fma(n, -Ln2Parts<O>::high, x));
    Real<O> low = named("low", n * Ln2Parts<O>::low);
    Real<O> r = named("r", high - low);
    Real<O> lost = (high - r) - low;
    return {r, named("rest", fma(r * r, exp_quadratic(r), lost)), i};
}

/// Bounds outside of which e^x is 0 or infinite whatever is rounded.
template <class O>
struct ExpRange {
    static constexpr double high = O::is_double ? 709.9 : 89.0;
    static constexpr double low = O::is_double ? -745.5 : -104.0;
};

/// e^x · 2^shift without overflow on the way.
template <class O>
Real<O> exp_shifted(Real<O> x, int64_t shift) {
    Real<O> bounded = named("bounded", select(x > ExpRange<O>::high + 1, ExpRange<O>::high + 1, select(x < ExpRange<O>::low, ExpRange<O>::low, x)));
    ExpParts<O> e = exp_parts(bounded);
    return select(is_nan(x), x, scale((e.r + e.rest) + 1.0, e.n + shift));
}

template <class O>
Real<O> exp(Real<O> x) {
    return exp_shifted(x, 0);
}

/// 2^x: exact for integers.
template <class O>
Real<O> exp2(Real<O> x) {
    double top = O::is_double ? 1025 : 129, bottom = O::is_double ? -1076 : -151;
    Real<O> bounded = named("bounded", select(x > top, top, select(x < bottom, bottom, x)));
    auto [n, i] = nearest_of_product(bounded, 1.0);
    Real<O> f = named("f", bounded - n);
    // f·ln2 in two parts.
    Real<O> r = named("r", f * 0x1.62e42fefa39efp-1);
    Real<O> rest = O::is_double ? fma(f, 0x1.62e42fefa39efp-1, -r) + f * 0x1.abc9e3b39803fp-56
                                : fma(f, 0x1.62e430p-1, -r) + f * -0x1.05c610p-29;
    return select(is_nan(x), x, scale(r + fma(r * r, exp_quadratic(r), rest) + 1.0, i));
}

/// e^x - 1, exact at 0.
template <class O>
Real<O> expm1(Real<O> x) {
    Real<O> bounded = named("bounded", select(x > ExpRange<O>::high + 1, ExpRange<O>::high + 1, select(x < -50.0, -50.0, x)));
    ExpParts<O> e = exp_parts(bounded);
    // Up to 2^mantissa the 1 counts: (2^n - 1) + 2^n·r + 2^n·rest. Beyond, it does not, but 2^n may overflow before the product.
    Mask<O> one_counts = e.n < int64_t{O::is_double ? 60 : 30};
    Real<O> two_n = named("two_n", power_of_two(x, select(one_counts, e.n, e.n.k(0))));
    Real<O> whole = two_n - 1.0, part = two_n * e.r;
    Real<O> sum = named("sum", whole + part);
    Real<O> lost = (whole - sum) + part;
    Real<O> near = named("near", sum + fma(two_n, e.rest, lost));
    Real<O> far = named("far", scale((e.r + e.rest) + 1.0, e.n));
    Real<O> result = select(one_counts, near, far);
    // Where e^x - 1 rounds to x, keep x: the sign of zero and subnormals.
    return select(is_nan(x) || abs(x) < (O::is_double ? 0x1p-54 : 0x1p-25), x, result);
}

}  // namespace sifr::math
