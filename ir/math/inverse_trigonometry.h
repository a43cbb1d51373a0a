#pragma once

#include "ir/math/arithmetic.h"
#include "ir/math/trigonometry.h"

// asin, acos, atan, atan2.

namespace sifr::math {

/// π/2 and π in two parts.
template <class O>
struct Pi {
    static constexpr double half = O::is_double ? 0x1.921fb54442d18p+0 : 0x1.921fb6p+0;
    static constexpr double half_low = O::is_double ? 0x1.1a62633145c07p-54 : -0x1.777a5cp-25;
};

/// (atan(t)/t - 1)/t² for z = t² <= (√2 - 1)²
template <class O>
Real<O> atan_polynomial(Real<O> z) {
    if constexpr (O::is_double) {
        return polynomial(z, {-0x1.5555555555554p-2, 0x1.99999999995bbp-3, -0x1.2492492471ed8p-3, 0x1.c71c71b5de274p-4, -0x1.745d148d6094cp-4,
                              0x1.3b136ab5fdc3ep-4, -0x1.110c44a37e57bp-4, 0x1.e16ec55356769p-5, -0x1.ab6a47c10a18fp-5,
                              0x1.70a45a26f9793p-5, -0x1.11981edf1a8a9p-5, 0x1.ef832f01cf7b5p-7});
    } else {
        return polynomial(z, {-0x1.55554ap-2, 0x1.9991e6p-3, -0x1.23b9f8p-3, 0x1.b228a4p-4, -0x1.f2f5b6p-5});
    }
}

/// atan(n/d) for 0 <= n <= d, as high + low: n/d itself, or π/4 + atan((n-d)/(n+d)).
template <class O>
struct Sum {
    Real<O> high, low;
};
template <class O>
Sum<O> atan_of_ratio(Real<O> n, Real<O> d) {
    Mask<O> large = named("large", n > d * 0.41421356237309503);
    // (n - d)/(n + d) where that is nearer to 0. Scaled, so that the sum stays finite.
    Real<O> num = named("num", select(large, n * 0.5 - d * 0.5, n)), den = named("den", select(large, n * 0.5 + d * 0.5, d));
    Real<O> t = named("t", num / den);
    Real<O> t_low = named("t_low", fma(-t, den, num) / den);
    t_low = select(abs(t_low) <= abs(t), t_low, 0.0);
    Real<O> z = named("z", t * t);
    Real<O> rest = named("rest", fma(t * z, atan_polynomial(z), t_low));
    Real<O> base = select(large, Pi<O>::half * 0.5, t.k(0.0)), base_low = select(large, Pi<O>::half_low * 0.5, t.k(0.0));
    Real<O> high = named("high", base + t);
    return {high, select(large, (base - high) + t, 0.0) + (rest + base_low)};
}

template <class O>
Real<O> atan(Real<O> x) {
    Real<O> a = named("a", abs(x));
    Mask<O> inverted = a > 1.0;
    Real<O> one = x.k(1.0);
    double inf = HUGE_VAL;
    Real<O> d = select(inverted, select(a == inf, 1.0, a), one), n = select(inverted, select(a == inf, 0.0, one), a);
    auto [high, low] = atan_of_ratio(n, d);
    Real<O> sum = named("sum", x.k(Pi<O>::half) - high);
    Real<O> other = named("other", sum + ((x.k(Pi<O>::half) - sum) - high + (Pi<O>::half_low - low)));
    Real<O> result = select(inverted, other, high + low);
    result = select(a < (O::is_double ? 0x1p-27 : 0x1p-13), a, result);
    return select(is_nan(x), x, copy_sign(result, x));
}

template <class O>
Real<O> atan2(Real<O> y, Real<O> x) {
    Real<O> ax = abs(x), ay = abs(y);
    double inf = HUGE_VAL;
    Mask<O> both_infinite = ax == inf && ay == inf;
    Mask<O> steep = named("steep", ax < ay);
    Real<O> n = select(steep, ax, ay), d = select(steep, ay, ax);
    // 0/0 is 0; ∞/∞ is 1; what is over ∞ is 0. Tiny and huge pairs are brought to where products of them are exact.
    n = select(both_infinite, 1.0, select(d == inf, 0.0, n));
    d = select(d == inf || d == 0.0, 1.0, d);
    Mask<O> tiny = d < (O::is_double ? 0x1p-900 : 0x1p-90);
    n = select(tiny, n * (O::is_double ? 0x1p200 : 0x1p40), n);
    d = select(tiny, d * (O::is_double ? 0x1p200 : 0x1p40), d);
    auto [high, low] = atan_of_ratio(n, d);
    // Quarter turns: π/2 - r where steep, then π - that where x is negative.
    Real<O> half = x.k(Pi<O>::half), half_low = x.k(Pi<O>::half_low);
    Real<O> s = named("s", half - high);
    Real<O> s_low = (half - s) - high + (half_low - low);
    high = select(steep, s, high);
    low = select(steep, s_low, low);
    Int<O> sign = x.bits() & (O::is_double ? INT64_MIN : INT32_MIN);
    Mask<O> left = named("left", !(sign == 0));
    Real<O> pi = half + half, u = named("u", pi - high);
    Real<O> u_low = (pi - u) - high + (half_low + half_low - low);
    Real<O> result = select(left, u + u_low, high + low);
    result = copy_sign(result, y);
    return select(is_nan(x) || is_nan(y), x + y, result);
}

/// (asin(s)/s - 1)/s² for z = s² <= 1/4
template <class O>
Real<O> asin_polynomial(Real<O> z) {
    if constexpr (O::is_double) {
        return polynomial(z, {0x1.5555555555553p-3, 0x1.3333333333a0fp-4, 0x1.6db6db6d48e24p-5, 0x1.f1c71ca8cd05bp-6, 0x1.6e8b9aceed24ap-6,
                              0x1.1c4f89678b08ap-6, 0x1.c9805732e91e8p-7, 0x1.7baa65a44197ap-7, 0x1.36927560ad763p-7,
                              0x1.490e52cac8968p-7, 0x1.28770119169a3p-11, 0x1.9b3c7621ce78ap-6, -0x1.b29094388d1bdp-6,
                              0x1.15787e742ddcfp-5});
    } else {
        return polynomial(z, {0x1.55554cp-3, 0x1.3338acp-4, 0x1.6ca762p-5, 0x1.04d210p-5, 0x1.d531ecp-7, 0x1.34c0b0p-5});
    }
}

/// asin(a) for 0 <= a <= 1 near 1: π/2 - 2·asin(s), s = sqrt((1-a)/2) = high + low.
template <class O>
Sum<O> half_angle(Real<O> z) {
    Real<O> s = named("s", sqrt(z));
    Real<O> s_low = select(s > 0.0, fma(-s, s, z) / (s + s), 0.0);
    return {s, fma(s * z, asin_polynomial(z), s_low)};
}

template <class O>
Real<O> asin(Real<O> x) {
    Real<O> a = named("a", abs(x));
    Mask<O> near_one = named("near_one", a > 0.5);
    Real<O> z = named("z", select(near_one, (1.0 - a) * 0.5, a * a));
    Real<O> small = named("small", fma(a * z, asin_polynomial(z), a));
    auto [s, rest] = half_angle(z);
    Real<O> high = named("high", x.k(Pi<O>::half) - (s + s));
    Real<O> low = named("low", (x.k(Pi<O>::half) - high) - (s + s));
    Real<O> large = named("large", high + (low + (Pi<O>::half_low - (rest + rest))));
    Real<O> result = select(near_one, large, small);
    return select(is_nan(x), x, copy_sign(result, x));  // NaN beyond 1, by the root
}

template <class O>
Real<O> acos(Real<O> x) {
    Real<O> a = named("a", abs(x));
    Mask<O> near_one = named("near_one", a > 0.5);
    Real<O> z = named("z", select(near_one, (1.0 - a) * 0.5, a * a));
    // π/2 - asin(x)
    Real<O> half = x.k(Pi<O>::half);
    Real<O> high = named("high", half - x);
    Real<O> middle = named("middle", high + ((half - high) - x + (Pi<O>::half_low - x * z * asin_polynomial(z))));
    auto [s, rest] = half_angle(z);
    Real<O> right = named("right", (s + rest) * 2.0);
    Real<O> pi = half + half, down = named("down", pi - (s + s));
    Real<O> left = named("left", down + ((pi - down) - (s + s) + (2.0 * Pi<O>::half_low - (rest + rest))));
    Real<O> result = select(near_one, select(x < 0.0, left, right), middle);
    return select(is_nan(x), x, result);
}

}  // namespace sifr::math
