#pragma once

#include <cstdint>

// The arithmetic that transcendental functions are written over. A backend gives a class `Ops`; the formulas in this folder
// then compute with plain floats (interpreters), emit vector code (LLVM) or print (CUDA), and all get the same bits, because every
// operation below is exact or rounds once to nearest.
//
// `Ops` has
//   using V;                     a value of the float type (or a vector of lanes)
//   using I;                     a two's complement integer of the same width, as many lanes
//   using M;                     a truth value, as many lanes
//   static constexpr bool is_double;
//   V constant(double)                       the nearest value of the type
//   I integer(int64_t)
//   V add(V, V)  sub  mul  div  fma(V, V, V)  sqrt(V)  neg(V)  abs(V)
//   V floor(V)
//   V to_float(I)                            rounds to nearest
//   I bits(V)      V from_bits(I)            reinterpretation
//   I iadd(I, I)  isub  imul  iand  ior  ixor                     wrap
//   I imulh(I, I)                            upper half of the unsigned product
//   I shl(I, I)  shr(I, I)  ushr(I, I)       by counts in 0 … width-1; shr keeps the sign
//   M lt(V, V)  le  eq                       false for NaN
//   M ilt(I, I)  ieq                         signed
//   M mand(M, M)  mor  mnot(M)
//   V select(M, V, V)    I iselect(M, I, I)
//   I lookup(const uint64_t* table, int count, I index)           element `index` (in 0 … count-1), its low bits for F32
//   template <class F> V rarely(M m, V usual, F&& unusual)
//                                            select(m, unusual(), usual); `unusual` need not run where no lane has m
// and, where its result is a text for people, may have
//   void name(T value, const char*)          what the formula calls a value
//   V polynomial(V x, const double* c, int n)

namespace sifr::math {

template <class Ops>
struct Mask {
    Ops* ops;
    typename Ops::M m;
};

/// An integer with operators.
template <class Ops>
struct Int {
    Ops* ops;
    typename Ops::I i;
    [[nodiscard]] Int k(int64_t c) const { return {ops, ops->integer(c)}; }
};

/// A float with operators.
template <class Ops>
struct Real {
    Ops* ops;
    typename Ops::V v;
    static constexpr bool is_double = Ops::is_double;
    static constexpr int mantissa = Ops::is_double ? 52 : 23;
    static constexpr int bias = Ops::is_double ? 1023 : 127;
    static constexpr int width = Ops::is_double ? 64 : 32;
    [[nodiscard]] Real k(double c) const { return {ops, ops->constant(c)}; }
    [[nodiscard]] Int<Ops> ik(int64_t c) const { return {ops, ops->integer(c)}; }
    [[nodiscard]] Int<Ops> bits() const { return {ops, ops->bits(v)}; }
};

#define SIFR_REAL_OPERATOR(symbol, name)                                                                                        \
    template <class O> Real<O> operator symbol(Real<O> a, Real<O> b) { return {a.ops, a.ops->name(a.v, b.v)}; }                 \
    template <class O> Real<O> operator symbol(Real<O> a, double b) { return {a.ops, a.ops->name(a.v, a.ops->constant(b))}; }   \
    template <class O> Real<O> operator symbol(double a, Real<O> b) { return {b.ops, b.ops->name(b.ops->constant(a), b.v)}; }
SIFR_REAL_OPERATOR(+, add)
SIFR_REAL_OPERATOR(-, sub)
SIFR_REAL_OPERATOR(*, mul)
SIFR_REAL_OPERATOR(/, div)
#undef SIFR_REAL_OPERATOR
template <class O> Real<O> operator-(Real<O> a) { return {a.ops, a.ops->neg(a.v)}; }
template <class O> Real<O> fma(Real<O> a, Real<O> b, Real<O> c) { return {a.ops, a.ops->fma(a.v, b.v, c.v)}; }
template <class O> Real<O> fma(Real<O> a, double b, Real<O> c) { return fma(a, a.k(b), c); }
template <class O> Real<O> fma(Real<O> a, Real<O> b, double c) { return fma(a, b, a.k(c)); }
template <class O> Real<O> abs(Real<O> a) { return {a.ops, a.ops->abs(a.v)}; }
template <class O> Real<O> sqrt(Real<O> a) { return {a.ops, a.ops->sqrt(a.v)}; }
template <class O> Real<O> floor(Real<O> a) { return {a.ops, a.ops->floor(a.v)}; }
template <class O> Real<O> to_real(Int<O> a) { return {a.ops, a.ops->to_float(a.i)}; }
template <class O> Real<O> real_of_bits(Int<O> a) { return {a.ops, a.ops->from_bits(a.i)}; }

#define SIFR_REAL_COMPARISON(symbol, expression)                                                                     \
    template <class O> Mask<O> operator symbol(Real<O> a, Real<O> b) { return {a.ops, a.ops->expression}; }          \
    template <class O> Mask<O> operator symbol(Real<O> a, double b) { return a symbol a.k(b); }
SIFR_REAL_COMPARISON(<, lt(a.v, b.v))
SIFR_REAL_COMPARISON(<=, le(a.v, b.v))
SIFR_REAL_COMPARISON(>, lt(b.v, a.v))
SIFR_REAL_COMPARISON(>=, le(b.v, a.v))
SIFR_REAL_COMPARISON(==, eq(a.v, b.v))
#undef SIFR_REAL_COMPARISON
template <class O> Mask<O> is_nan(Real<O> a) { return !(a == a); }

#define SIFR_INT_OPERATOR(symbol, name)                                                                                 \
    template <class O> Int<O> operator symbol(Int<O> a, Int<O> b) { return {a.ops, a.ops->name(a.i, b.i)}; }            \
    template <class O> Int<O> operator symbol(Int<O> a, int64_t b) { return {a.ops, a.ops->name(a.i, a.ops->integer(b))}; }
SIFR_INT_OPERATOR(+, iadd)
SIFR_INT_OPERATOR(-, isub)
SIFR_INT_OPERATOR(*, imul)
SIFR_INT_OPERATOR(&, iand)
SIFR_INT_OPERATOR(|, ior)
SIFR_INT_OPERATOR(^, ixor)
SIFR_INT_OPERATOR(<<, shl)
SIFR_INT_OPERATOR(>>, shr)
#undef SIFR_INT_OPERATOR
template <class O> Int<O> ushr(Int<O> a, Int<O> b) { return {a.ops, a.ops->ushr(a.i, b.i)}; }
template <class O> Int<O> ushr(Int<O> a, int64_t b) { return ushr(a, a.k(b)); }
template <class O> Int<O> mul_high(Int<O> a, Int<O> b) { return {a.ops, a.ops->imulh(a.i, b.i)}; }
template <class O> Mask<O> operator<(Int<O> a, Int<O> b) { return {a.ops, a.ops->ilt(a.i, b.i)}; }
template <class O> Mask<O> operator<(Int<O> a, int64_t b) { return a < a.k(b); }
template <class O> Mask<O> operator==(Int<O> a, Int<O> b) { return {a.ops, a.ops->ieq(a.i, b.i)}; }
template <class O> Mask<O> operator==(Int<O> a, int64_t b) { return a == a.k(b); }

template <class O> Mask<O> operator&&(Mask<O> a, Mask<O> b) { return {a.ops, a.ops->mand(a.m, b.m)}; }
template <class O> Mask<O> operator||(Mask<O> a, Mask<O> b) { return {a.ops, a.ops->mor(a.m, b.m)}; }
template <class O> Mask<O> operator!(Mask<O> a) { return {a.ops, a.ops->mnot(a.m)}; }
template <class O> Real<O> select(Mask<O> c, Real<O> a, Real<O> b) { return {c.ops, c.ops->select(c.m, a.v, b.v)}; }
template <class O> Real<O> select(Mask<O> c, double a, Real<O> b) { return select(c, b.k(a), b); }
template <class O> Real<O> select(Mask<O> c, Real<O> a, double b) { return select(c, a, a.k(b)); }
template <class O> Int<O> select(Mask<O> c, Int<O> a, Int<O> b) { return {c.ops, c.ops->iselect(c.m, a.i, b.i)}; }

/// The value, under its name where names are shown.
template <class O> Real<O> named(const char* name, Real<O> a) {
    if constexpr (requires { a.ops->name(a.v, name); }) a.ops->name(a.v, name);
    return a;
}
template <class O> Int<O> named(const char* name, Int<O> a) {
    if constexpr (requires { a.ops->name(a.i, name); }) a.ops->name(a.i, name);
    return a;
}
template <class O> Mask<O> named(const char* name, Mask<O> a) {
    if constexpr (requires { a.ops->name(a.m, name); }) a.ops->name(a.m, name);
    return a;
}

/// c[0] + x·(c[1] + x·(…)), one fma per step.
template <class O, int n>
Real<O> polynomial(Real<O> x, const double (&c)[n]) {
    if constexpr (requires { x.ops->polynomial(x.v, c, n); }) {
        return {x.ops, x.ops->polynomial(x.v, c, n)};
    } else {
        Real<O> p = x.k(c[n - 1]);
        for (int i = n - 2; i >= 0; --i) p = fma(p, x, c[i]);
        return p;
    }
}

/// 2^n for an integer n in the range of normal exponents.
template <class O>
Real<O> power_of_two(Real<O> like, Int<O> n) {
    return real_of_bits((n + like.bias) << like.mantissa);
}
/// x · 2^n for any n within twice the range of exponents, with one rounding (x normal).
template <class O>
Real<O> scale(Real<O> x, Int<O> n) {
    Int<O> half = named("half_exponent", n >> 1);
    return x * power_of_two(x, half) * power_of_two(x, n - half);
}

/// x with the sign of y.
template <class O>
Real<O> copy_sign(Real<O> x, Real<O> y) {
    int64_t sign = y.is_double ? INT64_MIN : INT32_MIN;
    return real_of_bits((abs(x).bits()) | (y.bits() & sign));
}

/// The integer nearest to x (half to even), as a float and as an integer; |x| below 2^(mantissa-2).
template <class O>
struct Nearest {
    Real<O> as_real;
    Int<O> as_int;
};
template <class O>
Nearest<O> nearest_of_product(Real<O> x, double factor) {
    // Adding 1.5·2^mantissa leaves the integer in the low bits. The product and the sum round once.
    Real<O> magic = x.k(x.is_double ? 0x1.8p52 : 0x1.8p23);
    Real<O> t = named("shifted", fma(x, x.k(factor), magic));
    return {named("nearest", t - magic), named("nearest_int", t.bits() - magic.bits())};
}

}  // namespace sifr::math
