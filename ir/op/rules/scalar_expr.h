#pragma once

#include <span>

#include "ir/op/op_def.h"

// Writing scalar bodies as formulas: `x * sigmoid(x)`. Every operator is one node, one rounding.

namespace sifr::rules {

/// An expression in an arena.
struct E {
    ExprArena* arena;
    ExprId id;
    [[nodiscard]] DType type() const { return arena->type(id); }
    [[nodiscard]] bool is_float() const { return sifr::is_float(type()); }
    [[nodiscard]] E constant(double v) const { return {arena, arena->constant(type(), v)}; }
    operator ExprId() const { return id; }
};

inline E unary(ScalarOp op, E a) { return {a.arena, a.arena->unary(op, a.id)}; }
inline E binary(ScalarOp op, E a, E b) { return {a.arena, a.arena->binary(op, a.id, b.id)}; }
inline E select(E c, E a, E b) { return {a.arena, a.arena->ternary(ScalarOp::Select, c.id, a.id, b.id)}; }
inline E select(E c, E a, double b) { return select(c, a, a.constant(b)); }
inline E select(E c, double a, E b) { return select(c, b.constant(a), b); }
inline E fma(E a, E b, E c) { return {a.arena, a.arena->ternary(ScalarOp::Fma, a.id, b.id, c.id)}; }
inline E cast(E a, DType to) { return {a.arena, a.arena->cast(a.id, to)}; }

#define SIFR_SCALAR_OPERATOR(name, op)                                              \
    inline E name(E a, E b) { return binary(ScalarOp::op, a, b); }                  \
    inline E name(E a, double b) { return binary(ScalarOp::op, a, a.constant(b)); } \
    inline E name(double a, E b) { return binary(ScalarOp::op, b.constant(a), b); }
SIFR_SCALAR_OPERATOR(operator+, Add)
SIFR_SCALAR_OPERATOR(operator-, Sub)
SIFR_SCALAR_OPERATOR(operator*, Mul)
SIFR_SCALAR_OPERATOR(operator/, Div)
SIFR_SCALAR_OPERATOR(operator<, Lt)
SIFR_SCALAR_OPERATOR(operator<=, Le)
SIFR_SCALAR_OPERATOR(operator>, Gt)
SIFR_SCALAR_OPERATOR(operator>=, Ge)
SIFR_SCALAR_OPERATOR(operator==, Eq)
SIFR_SCALAR_OPERATOR(operator!=, Ne)
SIFR_SCALAR_OPERATOR(minimum, Min)
SIFR_SCALAR_OPERATOR(maximum, Max)
#undef SIFR_SCALAR_OPERATOR
inline E operator-(E a) { return unary(ScalarOp::Neg, a); }
inline E operator&&(E a, E b) { return binary(ScalarOp::And, a, b); }
inline E operator||(E a, E b) { return binary(ScalarOp::Or, a, b); }
inline E operator!(E a) { return unary(ScalarOp::Not, a); }

/// The inputs of a scalar body.
struct Inputs {
    ExprArena& arena;
    std::span<const ExprId> ids;
    const Attrs& attrs;
    E operator[](size_t k) const { return {&arena, ids[k]}; }
    [[nodiscard]] bool has(size_t k) const { return k < ids.size() && ids[k].valid(); }
    [[nodiscard]] size_t size() const { return ids.size(); }
};

using ScalarRule = ExprId (*)(ExprArena&, std::span<const ExprId>, const Attrs&);

/// A row's scalar body from a captureless lambda over Inputs: `.scalar = body<[](Inputs x) { return x[0] * x[1]; }>`.
template <auto formula>
inline ExprId body(ExprArena& arena, std::span<const ExprId> inputs, const Attrs& attrs) {
    return formula(Inputs{arena, inputs, attrs});
}
template <ScalarOp op>
inline ExprId unary_body(ExprArena& arena, std::span<const ExprId> in, const Attrs&) {
    return arena.unary(op, in[0]);
}
template <ScalarOp op>
inline ExprId binary_body(ExprArena& arena, std::span<const ExprId> in, const Attrs&) {
    return arena.binary(op, in[0], in[1]);
}

}  // namespace sifr::rules
