#pragma once

#include "ir/math/arithmetic.h"
#include "ir/math/exponential.h"

// erf, erfc, erfinv.

namespace sifr::math {

/// erf(x) on |x| <= 1.
template <class O>
Real<O> erf_small(Real<O> x) {
    Real<O> z = named("z", x * x);
    Real<O> rest = x;
    double c = 0;
    if constexpr (O::is_double) {
        c = 0x1.20dd750429b6dp+0;
        rest = polynomial(z, {0x1.1ad68633afdc2p-56, -0x1.812746b0379e7p-2, 0x1.ce2f21a042c11p-4, -0x1.b82ce312898f7p-6, 0x1.565bcd0e8b438p-8,
                              -0x1.c02db406307dep-11, 0x1.f9a327a897ca5p-14, -0x1.f4d26970d25bap-17, 0x1.b9e76f9752d71p-20,
                              -0x1.5f791470ed4b0p-23, 0x1.fce3d2ba45bd2p-27, -0x1.5136020e3086dp-30, 0x1.8e039015999fep-34,
                              -0x1.4ce892f369664p-38});
    } else {
        c = 0x1.20dd76p+0;
        rest = polynomial(z, {-0x1.021f92p-24, -0x1.81273ep-2, 0x1.ce2cf8p-4, -0x1.b7f8ccp-6, 0x1.540188p-8, -0x1.a3cb00p-11, 0x1.48d13ep-14});
    }
    return fma(x, x.k(c), x * rest);
}

/// erfc(a) for a >= 1/2: e^(-a²)·g/(1+2a), where g is smooth in t = (a-k)/(a+k).
template <class O>
Real<O> erfc_large(Real<O> a) {
    a = named("bounded", select(a > (O::is_double ? 28.0 : 10.5), O::is_double ? 28.0 : 10.5, a));
    double k = O::is_double ? 4 : 2, c = 0;
    Real<O> t = named("t", (a - k) / (a + k));
    Real<O> rest = t;
    if constexpr (O::is_double) {
        c = 0x1.3ba5916e9fd7fp+0;
        rest = polynomial(t, {-0x1.a9e91db25095ap-55, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd7a6p-7, 0x1.16ecefcfa5361p-4, -0x1.9ddb23c3e9019p-4,
                              0x1.7fee004e12be7p-4, -0x1.0fb06dfe4a7e6p-4, 0x1.3079edf67529cp-5, -0x1.09623884d3ce1p-6,
                              0x1.49c6728a31760p-8, -0x1.8d4a9a1dd1fe1p-11, -0x1.a1df286f53e1fp-13, 0x1.3be0406a0f2d9p-13,
                              -0x1.9958e7dee96b4p-16, -0x1.7884fb64d3556p-17, 0x1.7f252c69927fbp-18, 0x1.398897261138ep-22,
                              -0x1.bae89acaca6e6p-21, 0x1.4a782c8a9083ep-24, 0x1.d82f65412366ep-24, -0x1.507e35a8a325dp-26,
                              -0x1.eb76871e214cap-27, 0x1.448d79aac20bap-29, 0x1.830b626f8db85p-30});
    } else {
        c = 0x1.46e80ep+0;
        rest = polynomial(t, {0x1.bfe7c0p-27, -0x1.7bf5dcp-4, -0x1.54080ep-3, 0x1.4ff8eep-3, -0x1.bc13eap-5, -0x1.06768ap-7, 0x1.1b56a4p-7,
                              0x1.319252p-10, -0x1.46ee56p-10, -0x1.09f5b8p-12});
    }
    Real<O> g = named("g", rest + c);
    Real<O> g_low = named("g_low", (c - g) + rest);
    // g/(1+2a) and e^(-a²), each in two parts, so that the product rounds about once.
    Real<O> twice = named("twice", a + a), d = named("d", twice + 1.0);
    Real<O> d_low = (1.0 - d) + twice;
    d_low = select(twice < 1.0, (twice - d) + 1.0, select(d == twice, d.k(1.0), d_low));
    Real<O> q = named("q", g / d);
    Real<O> q_low = named("q_low", (fma(-q, d, g) + (g_low - q * d_low)) / d);
    Real<O> square = named("square", a * a);
    Real<O> square_low = named("square_low", fma(a, a, -square));
    ExpParts<O> e = exp_parts(-square);
    Real<O> one = named("one", e.r + 1.0);
    Real<O> one_low = named("one_low", (1.0 - one) + e.r + fma(-square_low, one + e.rest, e.rest));
    return scale(fma(q, one, fma(q, one_low, q_low * one)), e.n);
}

template <class O>
Real<O> erf(Real<O> x) {
    Real<O> a = named("a", abs(x));
    Real<O> result = named("result", select(a < 1.0, erf_small(a), 1.0 - erfc_large(a)));
    return select(is_nan(x), x, copy_sign(result, x));
}

template <class O>
Real<O> erfc(Real<O> x) {
    Real<O> a = named("a", abs(x));
    Real<O> large = named("large", erfc_large(a));
    Real<O> result = named("result", select(a < 0.5, 1.0 - erf_small(x), select(x < 0.0, 2.0 - large, large)));
    double bottom = O::is_double ? 27.3 : 10.1;
    result = select(x > bottom, 0.0, result);
    return select(is_nan(x), x, result);
}

}  // namespace sifr::math
