#pragma once

#include <optional>
#include <type_traits>

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

// ---- shapes of values

inline Sizes sizes_of(V a) { return a.type().sizes; }
inline DType dtype_of(V a) { return a.type().dtype; }
inline int64_t rank_of(V a) { return a.type().rank(); }
inline V full_of(Builder& b, DType dtype, Sizes sizes, double value) { return {&b, b.full(dtype, std::move(sizes), value)}; }
inline V zeros(V like, Sizes sizes) { return {like.b, like.b->full(dtype_of(like), std::move(sizes), 0.0)}; }
inline V cast(V a, DType to) { return {a.b, a.b->cast(a, to)}; }
inline V reshape(V a, Sizes sizes) { return {a.b, a.b->reshape(a, std::move(sizes))}; }
inline V permute(V a, std::vector<int> axes) { return {a.b, a.b->permute(a, std::move(axes))}; }
inline V expand(V a, Sizes sizes) { return sizes_of(a) == sizes ? a : V{a.b, a.b->expand(a, std::move(sizes))}; }
inline V transpose(V a, int64_t i, int64_t j) {
    std::vector<int> axes;
    for (int d = 0; d < rank_of(a); ++d) axes.push_back(d == i ? static_cast<int>(j) : d == j ? static_cast<int>(i) : d);
    return permute(a, std::move(axes));
}
/// The last two axes exchanged.
inline V mt(V a) { return transpose(a, rank_of(a) - 2, rank_of(a) - 1); }
inline V unsqueeze(V a, int64_t dim) {
    Sizes s = sizes_of(a);
    s.insert(s.begin() + dim, 1);
    return reshape(a, std::move(s));
}
/// Elements start, start+step, … of axis `dim`, `length` of them; `step` may be negative.
inline V slice(V a, int64_t dim, int64_t start, int64_t length, int64_t step = 1) {
    Layout l = Layout::contiguous(sizes_of(a));
    if (length > 0) l.offset += start * l.strides[dim];
    l.sizes[dim] = length;
    l.strides[dim] *= step;
    return {a.b, a.b->extract(a, l)};
}
inline V flip(V a, int64_t dim) {
    int64_t n = sizes_of(a)[dim];
    return n < 2 ? a : slice(a, dim, n - 1, n, -1);
}
/// `a` with `piece` in place of the elements that `slice` would give.
inline V insert_slice(V a, V piece, int64_t dim, int64_t start, int64_t step = 1) {
    Layout l = Layout::contiguous(sizes_of(a));
    if (piece.type().numel() == 0) return a;
    l.offset += start * l.strides[dim];
    l.sizes[dim] = sizes_of(piece)[dim];
    l.strides[dim] *= step;
    return {a.b, a.b->insert(a, l, piece)};
}
inline V insert(V a, const Layout& l, V piece) { return piece.type().numel() == 0 ? a : V{a.b, a.b->insert(a, l, piece)}; }
/// Adds `piece` through a layout that may meet an element several times.
inline V insert_add(V a, const Layout& l, V piece) {
    if (piece.type().numel() == 0) return a;
    return {a.b, a.b->emit("insert_add"_op, {a, piece}, attrs({{"layout", l}}))};
}
inline V extract(V a, const Layout& l) { return {a.b, a.b->extract(a, l)}; }

inline V reduce(Op op, V a, std::vector<int64_t> dims, bool keepdim) {
    return emit(a, op, {a}, attrs({{"dim", std::move(dims)}, {"keepdim", keepdim}}));
}
inline V sum(V a, std::vector<int64_t> dims, bool keepdim = true) { return dims.empty() ? a : reduce("sum.dim"_op, a, std::move(dims), keepdim); }
inline V amax(V a, std::vector<int64_t> dims) { return dims.empty() ? a : reduce("amax"_op, a, std::move(dims), true); }
inline V sum_all(V a) {
    std::vector<int64_t> dims;
    for (int64_t d = 0; d < rank_of(a); ++d) dims.push_back(d);
    return sum(a, std::move(dims), false);
}
inline V mm(V a, V b) { return apply("mm"_op, a, b); }
inline V bmm(V a, V b) { return apply("bmm"_op, a, b); }
inline V cumsum(V a, int64_t dim) { return emit(a, "cumsum"_op, {a}, attrs({{"dim", dim}})); }
inline V arange(Builder& b, int64_t n, DType dtype = DType::I64) {
    return {&b, b.emit("arange"_op, {b.constant_int(0), b.constant_int(n), b.constant_int(1)}, attrs({{"dtype", dtype}}))};
}

// ---- decompositions

/// What a decomposition sees: a copy of the instruction and the builder in front of it.
struct Composite {
    Builder& b;
    const Inst inst;
    [[nodiscard]] V in(size_t k) const { return {&b, inst.operands.at(k)}; }
    [[nodiscard]] bool given(size_t k) const { return k < inst.operands.size() && !is_none(b.function().type(inst.operands[k])); }
    [[nodiscard]] bool is_tensor(size_t k) const { return given(k) && in(k).type().is_tensor(); }
    [[nodiscard]] const Attrs& attrs() const { return inst.attrs; }
    [[nodiscard]] Type result(size_t k = 0) const { return b.function().type(inst.results.at(k)); }
};
/// `.decompose = composite<[](Composite& c) { return c.in(0) * 2.0; }>`, or a list of results.
template <auto formula>
inline std::vector<ValueId> composite(Builder& b, const Inst& inst) {
    Composite c{b, inst};
    if constexpr (std::is_same_v<decltype(formula(c)), V>) return {formula(c).id};
    else return formula(c);
}

}  // namespace sifr::rules
