#pragma once

#include "ir/math/arithmetic.h"
#include "ir/math/exponential.h"
#include "ir/math/logarithm.h"

// pow: the logarithm in two parts, times y, back through 2^t.

namespace sifr::math {

template <class O>
struct Pair {
    Real<O> high, low;
};
template <class O>
Pair<O> fast_sum(Real<O> a, Real<O> b) {  // |a| >= |b|
    Real<O> s = named("s", a + b);
    return {s, (a - s) + b};
}
template <class O>
Pair<O> product(Real<O> a, Real<O> b) {
    Real<O> p = a * b;
    return {p, fma(a, b, -p)};
}
template <class O>
Pair<O> product(Pair<O> a, Pair<O> b) {
    auto [p, e] = product(a.high, b.high);
    return fast_sum(p, e + fma(a.high, b.low, a.low * b.high));
}

/// log2(x) of a positive finite x, to about twice the precision.
template <class O>
Pair<O> log2_pair(Real<O> x) {
    auto [n, f] = log_parts(x);
    Real<O> d = named("d", f + 2.0);
    Real<O> d_low = named("d_low", f - (d - 2.0));
    Real<O> s = named("s", f / d);
    Real<O> s_low = named("s_low", (fma(-s, d, f) - s * d_low) / d);
    Pair<O> sp{s, s_low};
    // log(1+f) = 2s + s³·(2/3 + z·q), z = s²
    Pair<O> z = product(sp, sp);
    Real<O> q = s;
    if constexpr (O::is_double) {
        q = polynomial(z.high, {0x1.999999999999ap-2, 0x1.2492492492315p-2, 0x1.c71c71c744366p-3, 0x1.745d1744b3336p-3, 0x1.3b13a66e90e28p-3,
                                0x1.11160b1811aa0p-3, 0x1.dff23166fe60ep-4, 0x1.dc4162455de2ap-4});
    } else {
        q = polynomial(z.high, {0x1.99999ap-2, 0x1.249216p-2, 0x1.c6fe00p-3, 0x1.8329a0p-3});
    }
    Pair<O> two_thirds = O::is_double ? Pair<O>{s.k(0x1.5555555555555p-1), s.k(0x1.5555555555555p-55)}
                                      : Pair<O>{s.k(0x1.555556p-1), s.k(-0x1.555556p-26)};
    Pair<O> inner = fast_sum(two_thirds.high, two_thirds.low + z.high * q);
    Pair<O> cubic = product(product(sp, z), inner);
    Pair<O> twice{s + s, s_low + s_low};
    Pair<O> sum = fast_sum(twice.high, cubic.high);
    sum = fast_sum(sum.high, sum.low + (twice.low + cubic.low));
    Pair<O> log2_e_pair = O::is_double ? Pair<O>{s.k(0x1.71547652b82fep+0), s.k(0x1.777d0ffda0d24p-56)}
                                       : Pair<O>{s.k(0x1.715476p+0), s.k(0x1.4ae0c0p-26)};
    Pair<O> fraction = product(sum, log2_e_pair);
    Real<O> e = named("e", to_real(n));
    Pair<O> whole = fast_sum(e, fraction.high);
    // For e = 0 the fraction stands alone: fast_sum's order does not matter there.
    Mask<O> alone = named("alone", e == 0.0);
    return {select(alone, fraction.high, whole.high), select(alone, fraction.low, whole.low + fraction.low)};
}

/// 2^(high + low)
template <class O>
Real<O> exp2_pair(Real<O> high, Real<O> low) {
    double top = O::is_double ? 1100 : 160, bottom = O::is_double ? -1200 : -180;
    Mask<O> outside = named("outside", high > top || high < bottom);
    Real<O> t = named("t", select(high > top, top, select(high < bottom, bottom, high)));
    Real<O> t_low = named("t_low", select(outside, 0.0, low));
    auto [n, i] = nearest_of_product(t, 1.0);
    Real<O> f = named("f", t - n);
    Real<O> r = named("r", f * 0x1.62e42fefa39efp-1);
    Real<O> rest = O::is_double ? fma(f, 0x1.62e42fefa39efp-1, -r) + f * 0x1.abc9e3b39803fp-56
                                : fma(f, 0x1.62e430p-1, -r) + f * -0x1.05c610p-29;
    rest = fma(t_low, 0x1.62e42fefa39efp-1, rest);
    Real<O> tail = named("tail", r * r * exp_quadratic(r));
    Pair<O> one = fast_sum(r.k(1.0), r);
    return scale(one.high + fma(rest, one.high + tail, one.low + tail), i);
}

template <class O>
Real<O> pow(Real<O> x, Real<O> y) {
    double inf = HUGE_VAL;
    Real<O> ax = named("ax", abs(x)), ay = named("ay", abs(y));
    Pair<O> l = log2_pair(select(ax > 0.0 && ax < inf, ax, 1.0));
    auto [t, e] = product(l.high, y);
    Real<O> t_low = named("t_low", select(abs(t) < (O::is_double ? 4096.0 : 512.0), fma(l.low, y, e), 0.0));
    Real<O> result = exp2_pair(select(is_nan(t), 0.0, t), t_low);

    // Exponents that have a plain formula, so that a known exponent and a run-time one agree.
    result = select(y == 3.0, ax * ax * ax, result);
    result = select(y == 2.0, ax * ax, result);
    result = select(y == 1.0, ax, result);
    result = select(y == 0.5, sqrt(ax), result);
    result = select(y == -0.5, 1.0 / sqrt(ax), result);
    result = select(y == -1.0, 1.0 / ax, result);
    result = select(y == -2.0, 1.0 / (ax * ax), result);

    Real<O> zero = x.k(0.0), infinite = x.k(inf);
    result = select(ax == 0.0, select(y > 0.0, zero, infinite), result);
    result = select(ax == inf, select(y > 0.0, infinite, zero), result);
    Mask<O> grows = named("grows", (ax > 1.0 && y > 0.0) || (ax < 1.0 && y < 0.0));
    result = select(ay == inf, select(ax == 1.0, x.k(1.0), select(grows, infinite, zero)), result);

    // Negative bases: the sign of an odd exponent, NaN for one with a fraction.
    Mask<O> whole = named("whole", floor(y) == y);
    Real<O> half = named("half", y * 0.5);
    Mask<O> odd = named("odd", whole && !(floor(half) == half));
    Int<O> sign = named("sign", x.bits() & (O::is_double ? INT64_MIN : INT32_MIN));
    Mask<O> negative = named("negative", !(sign == 0));
    result = select(negative && odd && ay < inf, -result, result);
    result = select(x < 0.0 && ax < inf && !whole && ay < inf, std::numeric_limits<double>::quiet_NaN(), result);

    result = select(is_nan(x) || is_nan(y), x + y, result);
    return select(y == 0.0 || x == 1.0, 1.0, result);
}

}  // namespace sifr::math
