#pragma once

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

inline V in(Vjp& v, size_t k) { return {&v.b, v.in(k)}; }
inline V out(Vjp& v, size_t k = 0) { return {&v.b, v.out(k)}; }

}  // namespace sifr::rules
