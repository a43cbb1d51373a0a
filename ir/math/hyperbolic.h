#pragma once

#include "ir/math/arithmetic.h"
#include "ir/math/exponential.h"
#include "ir/math/logarithm.h"

// sinh, cosh, tanh and their inverses.

namespace sifr::math {

template <class O>
Real<O> tanh(Real<O> x) {
    Real<O> a = named("a", abs(x));
    Real<O> z = named("z", a * a);
    Real<O> p = a;
    if constexpr (O::is_double) {
        p = polynomial(z, {-0x1.5555555555555p-2, 0x1.11111111110acp-3, -0x1.ba1ba1ba15ebbp-5, 0x1.664f4881627dep-6, -0x1.226e352b14044p-7,
                           0x1.d6d3c6f5599d5p-9, -0x1.7da2bad942520p-10, 0x1.35501f0582c51p-11, -0x1.f4f1b170d2b48p-13,
                           0x1.931049eb6edb9p-14, -0x1.3a17b8626a202p-15, 0x1.b5265966e8170p-17, -0x1.c1e7e9bc51e79p-19,
                           0x1.c0aa84b0357eep-22});
    } else {
        p = polynomial(z, {-0x1.555554p-2, 0x1.111076p-3, -0x1.b9f038p-5, 0x1.6392b0p-6, -0x1.0bf224p-7, 0x1.18686ap-9});
    }
    Real<O> small = named("small", fma(a * z, p, a));
    Real<O> large = named("large", 1.0 - 2.0 / (exp(a + a) + 1.0));  // 1 once exp swallows its 1
    Real<O> result = named("result", select(a < 0.625, small, large));
    return select(is_nan(x), x, copy_sign(result, x));
}

template <class O>
Real<O> sinh(Real<O> x) {
    Real<O> a = named("a", abs(x));
    Real<O> z = named("z", a * a);
    Real<O> p = a;
    if constexpr (O::is_double) {
        p = polynomial(z, {0x1.5555555555555p-3, 0x1.111111111113cp-7, 0x1.a01a01a01802p-13, 0x1.71de3a562ecdap-19, 0x1.ae645629bd24ep-26,
                           0x1.6124785dae3b5p-33, 0x1.ae7772e25b0adp-41, 0x1.96c516b17b806p-49, 0x1.00b63580cfe24p-57, 0x1.7fa989ea1b053p-64});
    } else {
        p = polynomial(z, {0x1.555556p-3, 0x1.1110eep-7, 0x1.a023bcp-13, 0x1.70acdap-19, 0x1.d06764p-26});
    }
    Real<O> small = named("small", fma(a * z, p, a));
    Real<O> half = named("half", exp_shifted(a, -1));
    Real<O> result = named("result", select(a < 2.0, small, half - 0.25 / half));
    return select(is_nan(x), x, copy_sign(result, x));
}

template <class O>
Real<O> cosh(Real<O> x) {
    Real<O> half = named("half", exp_shifted(abs(x), -1));
    return half + 0.25 / half;
}

template <class O>
Real<O> asinh(Real<O> x) {
    Real<O> a = named("a", abs(x));
    // 1 + (a + a²/(sqrt(1 + a²) + 1)), so that small results keep their digits.
    Real<O> square = named("square", a * a);
    Real<O> q = named("q", square / (sqrt(square + 1.0) + 1.0));
    Real<O> sum = named("sum", a + q);
    Real<O> small = named("small", log1p_of(sum, select(a < q, (q - sum) + a, (a - sum) + q)));
    Real<O> large = named("large", log(a) + 0x1.62e42fefa39efp-1);
    Real<O> result = named("result", select(a < (O::is_double ? 0x1p28 : 0x1p13), small, large));
    return select(is_nan(x), x, copy_sign(select(a < (O::is_double ? 0x1p-28 : 0x1p-13), a, result), x));
}

template <class O>
Real<O> acosh(Real<O> x) {
    Real<O> t = named("t", x - 1.0);
    // t + sqrt(t² + 2t), each rounding carried on.
    Real<O> twice = named("twice", t + t);
    Real<O> square = named("square", fma(t, t, twice));
    Real<O> root = named("root", sqrt(square));
    Real<O> root_low = named("root_low", (fma(-root, root, square) + fma(t, t, twice - square)) / (root + root));
    root_low = select(t < 2.0 && t > 0.0, root_low, 0.0);
    Real<O> sum = named("sum", root + t);
    Real<O> near = named("near", log1p_of(sum, ((root - sum) + t) + root_low));
    Real<O> large = named("large", log(x) + 0x1.62e42fefa39efp-1);
    Real<O> result = named("result", select(x < (O::is_double ? 0x1p28 : 0x1p13), near, large));
    result = select(t == 0.0, t, result);
    return select(x < 1.0, std::numeric_limits<double>::quiet_NaN(), result);
}

template <class O>
Real<O> atanh(Real<O> x) {
    Real<O> a = named("a", abs(x));
    Real<O> d = named("d", 1.0 - a);
    Real<O> d_low = named("d_low", (1.0 - d) - a);
    Real<O> twice = named("twice", a + a);
    Real<O> q = named("q", twice / d);
    Real<O> q_low = named("q_low", select(a < 1.0, (fma(-q, d, twice) - q * d_low) / d, 0.0));
    Real<O> result = named("result", log1p_of(q, q_low) * 0.5);
    return select(is_nan(x), x, copy_sign(select(a < (O::is_double ? 0x1p-28 : 0x1p-13), a, result), x));
}

}  // namespace sifr::math
