#pragma once

#include <cmath>

#include "ir/math/arithmetic.h"

// sin, cos, tan. x = n·π/2 + r with |r| <= π/4; r is kept in two parts. For huge x the product with 2/π is taken from its
// bits (Payne and Hanek), so results are right for every finite x.

namespace sifr::math {

template <class O>
struct Quadrant {
    Int<O> n;  ///< modulo 4 in its low bits
    Real<O> r, r_low;
};

/// π/2 by parts; the first product with n is exact in a fused step.
template <class O>
struct HalfPi {
    static constexpr double a = O::is_double ? 0x1.921fb54442d18p+0 : 0x1.921fb4p+0;
    static constexpr double b = O::is_double ? 0x1.1a62633145c06p-54 : 0x1.4442d0p-24;
    static constexpr double c = O::is_double ? 0x1.c1cd129024e09p-107 : 0x1.84698ap-48;
};

/// The bits of 2/π behind a word of zeros, in words as wide as the float.
inline constexpr uint64_t two_by_pi_64[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};
inline constexpr uint64_t two_by_pi_32[] = {0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                            0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a};

/// |x| large. x = m·2^e with an integer m; the bits of 2/π that count are those that m·2^e does not turn into multiples of 4.
template <class O>
Quadrant<O> reduce_huge(Real<O> x) {
    constexpr int mantissa = Real<O>::mantissa, width = Real<O>::width;
    Int<O> bits = named("bits", abs(x).bits());
    Int<O> e = named("e", (bits >> mantissa) - int64_t{Real<O>::bias + mantissa});
    Int<O> m = named("m", (bits & ((int64_t{1} << mantissa) - 1)) | (int64_t{1} << mantissa));
    Int<O> position = named("position", e + (width - 2));  // of the first bit that counts, in the table with its word of zeros
    Int<O> word = named("word", position >> (width == 64 ? 6 : 5));
    Int<O> shift = named("shift", position & (width - 1));
    // Infinities and NaNs come here too; their place in the table is any valid one.
    constexpr int count = O::is_double ? std::size(two_by_pi_64) : std::size(two_by_pi_32);
    word = select(word < 0, word.k(0), select(word < count - 4, word, word.k(count - 4)));
    const uint64_t* table = O::is_double ? two_by_pi_64 : two_by_pi_32;
    auto at = [&](int64_t k) { return Int<O>{x.ops, x.ops->lookup(table, count, (word + k).i)}; };
    Int<O> t0 = at(0), t1 = at(1), t2 = at(2), t3 = at(3);
    Int<O> back = named("back", word.k(width - 1) - shift);
    auto aligned = [&](Int<O> a, Int<O> b) { return (a << shift) | ushr(ushr(b, 1), back); };
    Int<O> w0 = named("w0", aligned(t0, t1)), w1 = named("w1", aligned(t1, t2)), w2 = named("w2", aligned(t2, t3));
    // Two words of the fraction of m·0.w0w1w2.
    int64_t top = O::is_double ? INT64_MIN : INT32_MIN;
    Int<O> low = named("low", m * w1);
    Int<O> second = named("second", low + mul_high(m, w2));
    Mask<O> carry = (second ^ top) < (low ^ top);
    Int<O> first = named("first", m * w0 + mul_high(m, w1) + select(carry, low.k(1), low.k(0)));
    // first's two top bits are the quadrant; the rest, as a signed number, is what is left of it.
    Int<O> s = named("s", (first << 2) | ushr(second, width - 2));
    Int<O> s_low = named("s_low", second << 2);
    Int<O> n = named("n", ushr(first, width - 2) + ushr(s, width - 1));
    int64_t tail = O::is_double ? 0x7ff : 0xff;
    double unit = O::is_double ? 0x1p-64 : 0x1p-32;
    Real<O> y = named("y", to_real(s & ~tail) * unit);
    Real<O> z = named("z", fma(to_real(ushr(s_low, 1)), O::is_double ? 0x1p-63 : 0x1p-31, to_real(s & tail)) * unit);
    // r = (y + z)·π/2
    double high = O::is_double ? 0x1.921fb54442d18p+0 : 0x1.921fb6p+0, low_part = O::is_double ? 0x1.1a62633145c07p-54 : -0x1.777a5cp-25;
    Real<O> p = named("p", y * high);
    Real<O> q = named("q", fma(y, x.k(high), -p) + fma(y, x.k(low_part), z * high));
    Real<O> r = named("r", p + q);
    Real<O> r_low = named("r_low", (p - r) + q);
    Mask<O> negative = x < 0.0;
    return {named("n", select(negative, n.k(0) - n, n)), named("r", select(negative, -r, r)), named("r_low", select(negative, -r_low, r_low))};
}

/// Beyond this the parts of π/2 no longer suffice.
template <class O>
struct TrigonometricRange {
    static constexpr double usual = O::is_double ? 0x1p30 : 0x1p17;
};

template <class O>
Quadrant<O> reduce_usual(Real<O> x) {
    auto [n, i] = nearest_of_product(x, O::is_double ? 0x1.45f306dc9c883p-1 : 0x1.45f306p-1);
    Real<O> first = named("first", fma(n, -HalfPi<O>::a, x));
    Real<O> p = named("p", n * HalfPi<O>::b);
    Real<O> p_low = fma(n, HalfPi<O>::b, -p);
    Real<O> r = named("r", first - p);
    Real<O> back = named("back", r - first);  // what r lost, whichever of the two was larger
    Real<O> lost = (first - (r - back)) - (p + back);
    return {i, r, named("r_low", fma(n, -HalfPi<O>::c, lost - p_low))};
}

template <class O>
Real<O> sin_polynomial(Real<O> r, Real<O> r_low) {
    Real<O> z = named("z", r * r);
    Real<O> p = r;
    if constexpr (O::is_double) {
        p = polynomial(z, {-0x1.5555555555555p-3, 0x1.111111111108bp-7, -0x1.a01a01a006efep-13, 0x1.71de3a405a09dp-19, -0x1.ae643dc28de6ap-26,
                           0x1.61150f2eab737p-33, -0x1.a59bba0b8abe9p-41});
    } else {
        p = polynomial(z, {-0x1.555544p-3, 0x1.1106cep-7, -0x1.991fccp-13});
    }
    return named("sine", r + fma(z * r, p, r_low * fma(z, -0.5, r.k(1.0))));
}

template <class O>
Real<O> cos_polynomial(Real<O> r, Real<O> r_low) {
    Real<O> z = named("z", r * r);
    Real<O> p = r;
    if constexpr (O::is_double) {
        p = polynomial(z, {0x1.5555555555555p-5, -0x1.6c16c16c16b47p-10, 0x1.a01a01a001a68p-16, -0x1.27e4fb6088e33p-22, 0x1.1eed77785c392p-29,
                           -0x1.937de119690f8p-37, 0x1.a22064e9ee929p-45});
    } else {
        p = polynomial(z, {0x1.55554ap-5, -0x1.6c0c1cp-10, 0x1.99e1d6p-16});
    }
    Real<O> half = named("half", z * 0.5);
    Real<O> w = named("w", 1.0 - half);
    return named("cosine", w + ((1.0 - w) - half + fma(z * z, p, -(r * r_low))));
}

/// sin for shift 0, cos for shift 1.
template <class O>
Real<O> sin_of(Quadrant<O> q, int64_t shift) {
    Int<O> n = named("n", q.n + shift);
    Real<O> v = named("v", select((n & 1) == 0, sin_polynomial(q.r, q.r_low), cos_polynomial(q.r, q.r_low)));
    return select((n & 2) == 0, v, -v);
}

template <class O, class F>
Real<O> by_range(Real<O> x, F&& of_quadrant) {
    Mask<O> huge = named("huge", !(named("magnitude", abs(x)) <= TrigonometricRange<O>::usual));
    Real<O> usual = named("usual", of_quadrant(reduce_usual(x)));
    Real<O> result = {x.ops, x.ops->rarely(huge.m, usual.v, [&] { return of_quadrant(reduce_huge(x)).v; })};
    return select(abs(x) < x.k(HUGE_VAL), result, x - x);  // NaN for infinities and NaN
}

template <class O>
Real<O> sin(Real<O> x) {
    Real<O> result = by_range(x, [](Quadrant<O> q) { return sin_of(q, 0); });
    return select(abs(x) < (O::is_double ? 0x1p-27 : 0x1p-13), x, result);
}

template <class O>
Real<O> cos(Real<O> x) {
    return by_range(x, [](Quadrant<O> q) { return sin_of(q, 1); });
}

template <class O>
Real<O> tan(Real<O> x) {
    Real<O> result = by_range(x, [](Quadrant<O> q) {
        Real<O> r = named("r", q.r), z = named("z", r * r);
        Real<O> p = r;
        if constexpr (O::is_double) {
            p = polynomial(z, {0x1.5555555555562p-2, 0x1.1111111110101p-3, 0x1.ba1ba1baffa9dp-5, 0x1.664f484f94e03p-6, 0x1.226e3c313fab9p-7,
                               0x1.d6d2a2553b092p-9, 0x1.7db5596c40fb7p-10, 0x1.3496d180bdabfp-11, 0x1.009d7790b43b6p-12,
                               0x1.5420318539ceep-14, 0x1.2c92e6b1a5a2bp-14, -0x1.05a4208124d07p-15, 0x1.be8056c01e7ebp-15,
                               -0x1.bd07b90eb9a73p-16, 0x1.59758bbc76d95p-17});
        } else {
            p = polynomial(z, {0x1.5554c0p-2, 0x1.1133bap-3, 0x1.b4cb8cp-5, 0x1.9576eep-6, 0x1.57cdc2p-9, 0x1.3cfab4p-7});
        }
        // tan as t + t_low; -1/tan from both parts.
        Real<O> rest = named("rest", fma(z * r, p, q.r_low * (z + 1.0)));
        Real<O> t = named("t", r + rest);
        Real<O> t_low = named("t_low", (r - t) + rest);
        Real<O> inverse = named("inverse", -1.0 / t);
        Real<O> corrected = named("corrected", fma(inverse, fma(inverse, t, t.k(1.0)) + inverse * t_low, inverse));
        return select((q.n & 1) == 0, t, corrected);
    });
    return select(abs(x) < (O::is_double ? 0x1p-27 : 0x1p-13), x, result);
}

}  // namespace sifr::math
