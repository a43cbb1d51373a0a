#pragma once

#include <cmath>
#include <limits>

#include "ir/math/arithmetic.h"
#include "ir/math/error_function.h"
#include "ir/math/exponential.h"
#include "ir/math/logarithm.h"
#include "ir/math/trigonometry.h"

// erfinv, lgamma, digamma: within 4 units in the last place of the result (of 1 near the zeros of the last two).

namespace sifr::math {

/// A fitted start, then steps of Halley's method on erf (on erfc where that keeps the digits).
template <class O>
Real<O> erfinv(Real<O> x) {
    Real<O> a = named("a", abs(x));
    Real<O> rest = named("rest", 1.0 - a);
    Real<O> w = named("w", -log(select(rest > 0.0, rest * (a + 1.0), 1.0)));
    Real<O> u = named("u", w - 2.5), s = named("s", sqrt(w) - 4.0);
    Real<O> central = polynomial(u, {0x1.805c5ep+0, 0x1.f91ec6p-3, -0x1.11c9f4p-8, -0x1.48a6f2p-10, 0x1.ca6acap-13, -0x1.270bd2p-18,
                                     -0x1.d94cbep-19, 0x1.710d18p-22, 0x1.e7313cp-26});
    Real<O> tail = polynomial(s, {0x1.eb7df6p+1, 0x1.026f50p+0, 0x1.52db1cp-10, -0x1.ee0076p-11, 0x1.0d1552p-12, -0x1.cf48c6p-16,
                                  0x1.7b142ep-14, -0x1.4b0e7cp-14, 0x1.2b53dcp-16});
    Real<O> y = a * select(w < 5.0, central, tail);
    Mask<O> small = named("small", a < 0.5);
    for (int step = 0; step < (O::is_double ? 2 : 1); ++step) {
        Real<O> missing = select(small, erf_small(y) - a, rest - erfc_large(y));
        Real<O> t = missing * exp(y * y) * 0x1.c5bf891b4ef6bp-1;  // by half the root of pi
        y = y - t / fma(y, t, y.k(1.0));
    }
    y = select(a == 1.0, HUGE_VAL, select(a < (O::is_double ? 0x1p-28 : 0x1p-14), a * 0x1.c5bf891b4ef6bp-1, y));
    y = select(a > 1.0, std::numeric_limits<double>::quiet_NaN(), y);
    return select(is_nan(x), x, copy_sign(y, x));
}

/// lgamma of a positive number: Stirling's series from 8 on; below, by steps of 1 to a polynomial on [1.5, 2.5].
template <class O>
Real<O> lgamma_positive(Real<O> x) {
    Real<O> one = x.k(1.0);
    Mask<O> below = named("below", x < 1.5);
    Mask<O> far_below = named("far_below", x < 0.5);
    Real<O> up = select(below, select(far_below, x * (x + 1.0), x), one);
    Real<O> y = select(below, select(far_below, x + 2.0, x + 1.0), x);
    Real<O> down = one;
    for (int step = 0; step < 6; ++step) {
        Mask<O> above = y >= 2.5;
        y = named("y", select(above, y - 1.0, y));
        down = named("down", select(above, down * y, down));
    }
    Real<O> u = named("u", y - 2.0);
    Real<O> p = u;
    if constexpr (O::is_double) {
        p = polynomial(u, {0x1.b0ee6072093cep-2, -0x1.9ae6509ea10a1p-4, 0x1.0e0c9df2934a9p-5, -0x1.95ce223a9c036p-7, 0x1.47974853ddb8ep-8,
                           -0x1.145121fa5ad18p-9, 0x1.dfebcf4123c8fp-11, -0x1.a96a3f5c9e663p-12, 0x1.7ed74e16b5be8p-13,
                           -0x1.5c86e50c0a80dp-14, 0x1.402a307463444p-15, -0x1.284934181ed37p-16, 0x1.1468655390341p-17,
                           -0x1.02d83b1ec41d4p-18, 0x1.d55539165f824p-20, -0x1.b7be519ad47c5p-21, 0x1.19a7d1b8cceadp-21,
                           -0x1.110e64b14ec64p-22});
    } else {
        p = polynomial(u, {0x1.b0ee60p-2, -0x1.9ae64cp-4, 0x1.0e0e62p-5, -0x1.95d4dap-7, 0x1.468476p-8, -0x1.12ebfcp-9, 0x1.0a4a74p-10,
                           -0x1.e0c12cp-12});
    }
    Real<O> core = named("core", u * (y - 1.0) * p);
    Real<O> logarithm = log(select(below, up, down));
    Real<O> near = named("near", select(below, core - logarithm, core + logarithm));

    Real<O> r = named("r", 1.0 / x), z = named("z", r * r);
    Real<O> series = r * polynomial(z, {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156, -3617.0 / 122400,
                                        43867.0 / 244188});
    Real<O> large = named("large", fma(x - 0.5, log(x) - 1.0, series + 0.41893853320467274178));
    return select(x < 8.0, near, large);
}

/// ln|Γ(x)|; infinite at 0 and the negative integers.
template <class O>
Real<O> lgamma(Real<O> x) {
    Real<O> a = named("a", abs(x));
    Real<O> positive = named("positive", lgamma_positive(a));
    Real<O> f = named("f", a - floor(a));
    Real<O> s = named("s", sin(select(f > 0.5, 1.0 - f, f) * 0x1.921fb54442d18p+1));
    Real<O> reflected = named("reflected", log(x.k(0x1.921fb54442d18p+1) / (a * s)) - positive);
    Real<O> result = select(x < 0.0, select(f == 0.0, HUGE_VAL, reflected), positive);
    result = select(a == HUGE_VAL || a == 0.0, HUGE_VAL, result);
    result = select(x == 1.0 || x == 2.0, 0.0, result);
    return select(is_nan(x), x, result);
}

/// The derivative of lgamma; ∓∞ at ±0, NaN at the negative integers.
template <class O>
Real<O> digamma(Real<O> x) {
    Mask<O> negative = named("negative", x < 0.0);
    Real<O> y = select(negative, 1.0 - x, x);
    Real<O> shift = x.k(0.0);
    for (int step = 0; step < 8; ++step) {
        Mask<O> below = named("below", y < 8.0);
        shift = named("shift", select(below, shift - 1.0 / y, shift));
        y = named("y", select(below, y + 1.0, y));
    }
    Real<O> r = named("r", 1.0 / y), z = named("z", r * r);
    Real<O> series = named("series", z * polynomial(z, {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12, -3617.0 / 8160}));
    Real<O> value = named("value", shift + (log(y) - 0.5 * r - series));
    Real<O> f = named("f", x - floor(x));
    constexpr double pi = 0x1.921fb54442d18p+1;
    Real<O> reflected = named("reflected", value - pi / tan(select(f > 0.5, f - 1.0, f) * pi));
    Real<O> result = select(negative, select(f == 0.0, std::numeric_limits<double>::quiet_NaN(), reflected), value);
    Real<O> infinite = named("infinite", copy_sign(x.k(HUGE_VAL), x));
    result = select(x == 0.0, -infinite, select(x == HUGE_VAL, HUGE_VAL, result));
    return select(is_nan(x), x, result);
}

}  // namespace sifr::math
