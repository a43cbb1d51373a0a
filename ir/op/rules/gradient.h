#pragma once

#include <optional>

#include "ir/op/vjp.h"

// Writing gradients and decompositions as formulas over values: `g * cos(x)`. Every operator emits one pure row.

namespace sifr::rules {

/// A value with the builder that continues it.
struct V {
    Builder* b;
    ValueId id;
    [[nodiscard]] const Type& type() const { return b->function().type(id); }
    operator ValueId() const { return id; }
};

/// A row on values and numbers.
inline V emit(V first, Op op, std::vector<ValueId> operands, Attrs attributes = {}) {
    return {first.b, first.b->emit(op, std::move(operands), std::move(attributes))};
}
inline V apply(Op op, V a) { return emit(a, op, {a}); }
inline V apply(Op op, V a, V b) { return emit(a, op, {a, b}); }
inline V apply(Op op, V a, double b) { return emit(a, op, {a, a.b->constant(b)}); }

/// A number as an operand: an i64 for integer tensors, so that the dtype stays; else an f64.
inline ValueId number(V like, double v) {
    return is_integral(like.type().dtype, true) ? like.b->constant_int(static_cast<int64_t>(v)) : like.b->constant(v);
}

#define SIFR_VALUE_OPERATOR(symbol, row)                                                      \
    inline V operator symbol(V a, V b) { return apply(row##_op, a, b); }                      \
    inline V operator symbol(V a, double b) { return emit(a, row##_op, {a, number(a, b)}); }
SIFR_VALUE_OPERATOR(+, "add")
SIFR_VALUE_OPERATOR(-, "sub")
SIFR_VALUE_OPERATOR(*, "mul")
SIFR_VALUE_OPERATOR(/, "div")
#undef SIFR_VALUE_OPERATOR
inline V operator-(V a) { return apply("neg"_op, a); }

#define SIFR_VALUE_FUNCTION(name) \
    inline V name(V a) { return apply(#name##_op, a); }
SIFR_VALUE_FUNCTION(exp)
SIFR_VALUE_FUNCTION(log)
SIFR_VALUE_FUNCTION(log1p)
SIFR_VALUE_FUNCTION(sin)
SIFR_VALUE_FUNCTION(cos)
SIFR_VALUE_FUNCTION(sinh)
SIFR_VALUE_FUNCTION(cosh)
SIFR_VALUE_FUNCTION(tanh)
SIFR_VALUE_FUNCTION(erf)
SIFR_VALUE_FUNCTION(sqrt)
SIFR_VALUE_FUNCTION(rsqrt)
SIFR_VALUE_FUNCTION(reciprocal)
SIFR_VALUE_FUNCTION(sigmoid)
SIFR_VALUE_FUNCTION(sign)
SIFR_VALUE_FUNCTION(abs)
SIFR_VALUE_FUNCTION(digamma)
SIFR_VALUE_FUNCTION(isnan)
SIFR_VALUE_FUNCTION(isfinite)
#undef SIFR_VALUE_FUNCTION
#define SIFR_VALUE_COMPARISON(name)                        \
    inline V name(V a, V b) { return apply(#name##_op, a, b); } \
    inline V name(V a, double b) { return emit(a, #name##_op, {a, number(a, b)}); }
SIFR_VALUE_COMPARISON(eq)
SIFR_VALUE_COMPARISON(ne)
SIFR_VALUE_COMPARISON(lt)
SIFR_VALUE_COMPARISON(le)
SIFR_VALUE_COMPARISON(gt)
SIFR_VALUE_COMPARISON(ge)
#undef SIFR_VALUE_COMPARISON
inline V operator-(double a, V b) { return emit(b, "rsub"_op, {b, number(b, a)}); }
inline V operator*(double a, V b) { return b * a; }
inline V where(V c, V a, V b) { return emit(c, "where"_op, {c, a, b}); }
inline V where(V c, V a, double b) { return emit(c, "where"_op, {c, a, number(a, b)}); }
inline V where(V c, double a, V b) { return emit(c, "where"_op, {c, number(b, a), b}); }
inline V logical_and(V a, V b) { return apply("logical_and"_op, a, b); }
inline V logical_or(V a, V b) { return apply("logical_or"_op, a, b); }
inline V logical_not(V a) { return apply("logical_not"_op, a); }
inline V pow(V a, double e) { return emit(a, "pow"_op, {a, a.b->constant(e)}); }

using Grads = std::vector<ValueId>;
using VjpRule = Grads (*)(Vjp&);

/// The gradient of operand k alone, computed only where it is needed, then summed and cast to the operand's own type.
template <class F>
inline ValueId grad_of(Vjp& v, size_t k, F&& formula) {
    if (!v.needs(k)) return {};
    return v.to(k, formula());
}

/// One formula per operand: `gradients<[](Vjp& v, V g) { return g * x; }, …>`; each sees the gradient of result 0.
template <auto... formulas>
inline Grads gradients(Vjp& v) {
    Grads out;
    size_t k = 0;
    ((out.push_back(grad_of(v, k, [&] { return formulas(v, V{&v.b, v.grad()}).id; })), ++k), ...);
    out.resize(v.inst.operands.size());
    return out;
}

/// The number that operand k is, where it is known.
inline std::optional<double> known(Vjp& v, size_t k) { return v.b.function().constant_float(v.in(k)); }
inline bool is_tensor(Vjp& v, size_t k) { return v.type(v.in(k)).is_tensor(); }
/// Zeros like `g`.
inline V zeros_like(V g) { return {g.b, g.b->full(g.type().dtype, g.type().sizes, 0.0)}; }

inline V in(Vjp& v, size_t k) { return {&v.b, v.in(k)}; }
inline V out(Vjp& v, size_t k = 0) { return {&v.b, v.out(k)}; }

}  // namespace sifr::rules
