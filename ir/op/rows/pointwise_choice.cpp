#include <limits>
#include <optional>

#include "ir/base/diagnostic.h"
#include "ir/op/rows/rows.h"
#include "ir/op/rules/gradient.h"
#include "ir/op/rules/pointwise_rules.h"
#include "ir/op/rules/scalar_expr.h"

// Functions of two elements, and those that choose between elements: extrema, clamps, masks.

namespace sifr::rows {
namespace {

using namespace rules;

V a(Vjp& v) { return in(v, 0); }
V b(Vjp& v) { return in(v, 1); }

/// Ties give half to each side.
V maximum_self(Vjp& v, V g) { return where(lt(a(v), b(v)), 0.0, where(eq(a(v), b(v)), g / 2.0, g)); }
V maximum_other(Vjp& v, V g) { return where(gt(a(v), b(v)), 0.0, where(eq(a(v), b(v)), g / 2.0, g)); }
V minimum_self(Vjp& v, V g) { return where(gt(a(v), b(v)), 0.0, where(eq(a(v), b(v)), g / 2.0, g)); }
V minimum_other(Vjp& v, V g) { return where(lt(a(v), b(v)), 0.0, where(eq(a(v), b(v)), g / 2.0, g)); }

E is_nan(E e) { return e != e; }
/// The extremum that ignores a NaN.
E number_max(Inputs x) {
    if (!x[0].is_float()) return maximum(x[0], x[1]);
    return select(is_nan(x[0]), x[1], select(is_nan(x[1]), x[0], maximum(x[0], x[1])));
}
E number_min(Inputs x) {
    if (!x[0].is_float()) return minimum(x[0], x[1]);
    return select(is_nan(x[0]), x[1], select(is_nan(x[1]), x[0], minimum(x[0], x[1])));
}
/// fmax, fmin: ties split, as for maximum; a NaN side gets nothing.
V number_extremum_share(V g, V mine, V theirs, bool largest) {
    V loses = largest ? lt(mine, theirs) : gt(mine, theirs);
    V share = where(eq(mine, theirs), g / 2.0, g);
    return where(logical_or(loses, logical_and(isnan(mine), logical_not(isnan(theirs)))), 0.0, share);
}

E clamped(Inputs x) {
    E e = x[0];
    if (x.has(1)) e = maximum(e, x[1]);
    if (x.has(2)) e = minimum(e, x[2]);
    return e;
}
bool given(Vjp& v, size_t k) { return k < v.inst.operands.size() && !is_none(v.type(v.in(k))); }
/// Number bounds pass the gradient strictly inside only.
V clamp_number_self(Vjp& v, V g) {
    V inside = given(v, 1) ? gt(a(v), b(v)) : lt(a(v), in(v, 2));
    if (given(v, 1) && given(v, 2)) inside = logical_and(inside, lt(a(v), in(v, 2)));
    return where(inside, g, 0.0);
}
/// Tensor bounds: a tie splits between the element and its bound; where the bounds cross, the upper one has it all.
V clamp_tensor_self(Vjp& v, V g) {
    V self = a(v);
    std::optional<V> keep;
    auto both = [&](V c) { keep = keep ? logical_and(*keep, c) : c; };
    if (given(v, 1)) both(ge(self, b(v)));
    if (given(v, 2)) both(le(self, in(v, 2)));
    V share = g;
    std::optional<V> tie;
    auto either = [&](V c) { tie = tie ? logical_or(*tie, c) : c; };
    if (given(v, 1)) either(eq(self, b(v)));
    if (given(v, 2)) either(eq(self, in(v, 2)));
    share = where(*tie, g / 2.0, g);
    return where(*keep, share, 0.0);
}
V clamp_tensor_min(Vjp& v, V g) {
    V self = a(v), low = b(v);
    V mine = where(lt(self, low), g, where(eq(self, low), g / 2.0, zeros_like(g)));
    if (given(v, 2)) mine = where(lt(low, in(v, 2)), mine, 0.0);
    return mine;
}
V clamp_tensor_max(Vjp& v, V g) {
    V self = a(v), high = in(v, 2);
    V mine = where(gt(self, high), g, where(eq(self, high), g / 2.0, zeros_like(g)));
    if (given(v, 1)) mine = where(gt(b(v), high), g, mine);
    return mine;
}
Grads clamp_tensor_vjp(Vjp& v) {
    V g{&v.b, v.grad()};
    Grads out(v.inst.operands.size());
    out[0] = grad_of(v, 0, [&] { return clamp_tensor_self(v, g); });
    if (given(v, 1)) out[1] = grad_of(v, 1, [&] { return clamp_tensor_min(v, g); });
    if (given(v, 2)) out[2] = grad_of(v, 2, [&] { return clamp_tensor_max(v, g); });
    return out;
}

/// log(exp(a) + exp(b)), without overflow; equal infinities stay what they are.
E log_sum_exp(Inputs x) {
    E m = maximum(x[0], x[1]);
    E same = x[0] == x[1] && unary(ScalarOp::Abs, x[0]) == std::numeric_limits<double>::infinity();
    return select(same, x[0], m + unary(ScalarOp::Log1p, unary(ScalarOp::Exp, -unary(ScalarOp::Abs, x[0] - x[1]))));
}
E log_sum_exp2(Inputs x) {
    E m = maximum(x[0], x[1]);
    E same = x[0] == x[1] && unary(ScalarOp::Abs, x[0]) == std::numeric_limits<double>::infinity();
    constexpr double inv_ln2 = 1.44269504088896340736;
    return select(same, x[0], m + unary(ScalarOp::Log1p, unary(ScalarOp::Exp2, -unary(ScalarOp::Abs, x[0] - x[1]))) * inv_ln2);
}

E x_log_y(Inputs x) { return select(is_nan(x[1]), x[1], select(x[0] == 0.0, x[0].constant(0), x[0] * unary(ScalarOp::Log, x[1]))); }

/// Stable for large and small arguments: m · sqrt(1 + (n/m)²).
E hypotenuse(Inputs x) {
    E p = unary(ScalarOp::Abs, x[0]), q = unary(ScalarOp::Abs, x[1]);
    double inf = std::numeric_limits<double>::infinity();
    E any_inf = p == inf || q == inf;
    E m = maximum(p, q), n = minimum(p, q);
    E r = n / m;
    return select(any_inf, p.constant(inf), select(m == 0.0, m, m * unary(ScalarOp::Sqrt, fma(r, r, r.constant(1)))));
}

E with_sign(Inputs x) {
    DType bits = x[0].type() == DType::F32 ? DType::I32 : DType::I64;
    auto as_int = [&](E e) { return E{e.arena, e.arena->bitcast(e.id, bits)}; };
    E m = as_int(unary(ScalarOp::Abs, x[0])), s = as_int(x[1]);
    int64_t top = bits == DType::I32 ? INT32_MIN : INT64_MIN;
    E mask = {m.arena, m.arena->constant_int(bits, top)};
    E r = binary(ScalarOp::Or, m, binary(ScalarOp::And, s, mask));
    return {r.arena, r.arena->bitcast(r.id, x[0].type())};
}
V copysign_self(Vjp& v, V g) {
    V ratio = out(v) / a(v);
    return g * where(eq(a(v), 0), 0.0, ratio);
}

/// The next number of a's type on the way to b: one step of its bits, which are ordered like the numbers of one sign.
E next_after(Inputs in) {
    E x = in[0], y = in[1];
    DType bits = x.type() == DType::F32 ? DType::I32 : DType::I64;
    E i = {x.arena, x.arena->bitcast(x.id, bits)};
    bool single = x.type() == DType::F32;
    E smallest = x.constant(single ? static_cast<double>(std::numeric_limits<float>::denorm_min()) : std::numeric_limits<double>::denorm_min());
    E away = {x.arena, x.arena->bitcast((i + 1.0).id, x.type())}, towards = {x.arena, x.arena->bitcast((i - 1.0).id, x.type())};
    E from_zero = select(y < 0.0, -smallest, smallest);
    E stepped = select((x < y) == (x > 0.0), away, towards);
    return select((x != x) || (y != y), x + y, select(x == y, y, select(x == 0.0, from_zero, stepped)));
}
std::vector<Type> next_after_result(const OpCall& c) {
    DType t = result_dtype(c.types, c.default_dtype);
    if (t != DType::F32 && t != DType::F64) raise("NotImplementedError", "\"nextafter_cpu\" not implemented for '{}'", scalar_name(t));
    return {Type::tensor(t, broadcast(c.types[0].sizes, c.types[1].sizes))};
}

V atan2_scale(Vjp& v) { return reciprocal(a(v) * a(v) + b(v) * b(v)); }
V atan2_self(Vjp& v, V g) { return where(logical_and(eq(a(v), 0), eq(b(v), 0)), 0.0, g * b(v) * atan2_scale(v)); }
V atan2_other(Vjp& v, V g) { return where(logical_and(eq(a(v), 0), eq(b(v), 0)), 0.0, g * -a(v) * atan2_scale(v)); }

V xlogy_self(Vjp& v, V g) {
    V masked = logical_and(eq(a(v), 0), le(b(v), 0));
    return where(masked, 0.0, apply("xlogy"_op, g, b(v)));
}

V masked_self(Vjp& v, V g) { return where(in(v, 1), 0.0, g); }
V masked_value(Vjp& v, V g) { return where(in(v, 1), g, 0.0); }

}  // namespace

Rows pointwise_choice() {
    constexpr Lower P = Lower::Pointwise;
    constexpr LayoutRule Ew = LayoutRule::Elementwise;
    constexpr DTypeRule F = DTypeRule::PromoteFloat;
    const char* two = "(T self, T other) -> T";
    return {
        {.name = "maximum", .sig = two, .lower = P, .layout = Ew, .saves = {save_in(0), save_in(1)}, .node = "MaximumBackward0",
         .vjp = gradients<maximum_self, maximum_other>,
         .scalar = body<[](Inputs x) { return x[0].type() == DType::Bool ? x[0] || x[1] : maximum(x[0], x[1]); }>, .inplace = false},
        {.name = "minimum", .sig = two, .lower = P, .layout = Ew, .saves = {save_in(0), save_in(1)}, .node = "MinimumBackward0",
         .vjp = gradients<minimum_self, minimum_other>,
         .scalar = body<[](Inputs x) { return x[0].type() == DType::Bool ? x[0] && x[1] : minimum(x[0], x[1]); }>, .inplace = false},
        {.name = "fmax", .sig = two, .lower = P, .layout = Ew, .saves = {save_in(0), save_in(1)}, .node = "FmaxBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return number_extremum_share(g, a(v), b(v), true); },
                          [](Vjp& v, V g) { return number_extremum_share(g, b(v), a(v), true); }>,
         .scalar = body<number_max>, .inplace = false},
        {.name = "fmin", .sig = two, .lower = P, .layout = Ew, .saves = {save_in(0), save_in(1)}, .node = "FminBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return number_extremum_share(g, a(v), b(v), false); },
                          [](Vjp& v, V g) { return number_extremum_share(g, b(v), a(v), false); }>,
         .scalar = body<number_min>, .inplace = false},

        {.name = "clamp", .sig = "(T self, Scalar? min=None, Scalar? max=None) -> T", .lower = P, .infer = clamp_result, .layout = Ew,
         .saves = {save_in(0)}, .node = "ClampBackward1", .vjp = gradients<clamp_number_self>, .scalar = body<clamped>},
        {.name = "clamp.tensor", .sig = "(T self, T? min=None, T? max=None) -> T", .lower = P, .infer = clamp_result, .layout = Ew,
         .saves = {save_in(0), save_in(1), save_in(2)}, .node = "ClampBackward0", .vjp = clamp_tensor_vjp, .scalar = body<clamped>},
        {.name = "clamp_min", .sig = "(T self, N min) -> T", .lower = P, .layout = Ew, .saves = {save_in(0), save_in(1)},
         .node_of = [](const OpCall& c) { return c.types[1].is_tensor() ? "ClampMinBackward1" : "ClampMinBackward0"; },
         .vjp = [](Vjp& v) -> Grads {
             V g{&v.b, v.grad()};
             if (!is_tensor(v, 1)) return {grad_of(v, 0, [&] { return where(gt(a(v), b(v)), g, 0.0); }), ValueId()};
             return {grad_of(v, 0, [&] { return maximum_self(v, g); }), grad_of(v, 1, [&] { return maximum_other(v, g); })};
         },
         .scalar = body<[](Inputs x) { return maximum(x[0], x[1]); }>},
        {.name = "clamp_max", .sig = "(T self, N max) -> T", .lower = P, .layout = Ew, .saves = {save_in(0), save_in(1)},
         .node_of = [](const OpCall& c) { return c.types[1].is_tensor() ? "ClampMaxBackward1" : "ClampMaxBackward0"; },
         .vjp = [](Vjp& v) -> Grads {
             V g{&v.b, v.grad()};
             if (!is_tensor(v, 1)) return {grad_of(v, 0, [&] { return where(lt(a(v), b(v)), g, 0.0); }), ValueId()};
             return {grad_of(v, 0, [&] { return minimum_self(v, g); }), grad_of(v, 1, [&] { return minimum_other(v, g); })};
         },
         .scalar = body<[](Inputs x) { return minimum(x[0], x[1]); }>},

        {.name = "where", .sig = "(T condition, N self, N other) -> T", .lower = P, .infer = where_result, .own_dtype = 1, .layout = Ew,
         .saves = {save_in(0)}, .node = "WhereBackward0",
         .vjp = [](Vjp& v) -> Grads {
             V g{&v.b, v.grad()};
             return {ValueId(), grad_of(v, 1, [&] { return where(a(v), g, 0.0); }), grad_of(v, 2, [&] { return where(a(v), 0.0, g); })};
         },
         .scalar = body<[](Inputs x) { return select(x[0], x[1], x[2]); }>, .inplace = false, .method = false},
        {.name = "masked_fill", .sig = "(T self, T mask, N value) -> T", .lower = P, .infer = masked_fill_result,
         .dtype = DTypeRule::First, .own_dtype = 2, .layout = Ew, .saves = {save_in(1)},
         .node_of = [](const OpCall& c) { return c.types[2].is_tensor() ? "MaskedFillBackward1" : "MaskedFillBackward0"; },
         .vjp = [](Vjp& v) -> Grads {
             V g{&v.b, v.grad()};
             return {grad_of(v, 0, [&] { return masked_self(v, g); }), ValueId(), grad_of(v, 2, [&] { return masked_value(v, g); })};
         },
         .scalar = body<[](Inputs x) { return select(x[1], x[2], x[0]); }>, .function = true},

        {.name = "atan2", .sig = two, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0), save_in(1)}, .node = "Atan2Backward0",
         .vjp = gradients<atan2_self, atan2_other>, .scalar = binary_body<ScalarOp::Atan2>},
        {.name = "hypot", .sig = two, .lower = P, .infer = refusing<"hypot_cpu", Bools | Integers>, .layout = Ew,
         .saves = {save_in(0), save_in(1), save_out(0)}, .node = "HypotBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * (a(v) / out(v)); }, [](Vjp& v, V g) { return g * (b(v) / out(v)); }>,
         .scalar = body<hypotenuse>},
        {.name = "logaddexp", .sig = two, .lower = P, .infer = refusing<"logaddexp_cpu", Bools | Integers>, .layout = Ew,
         .saves = {save_in(0), save_in(1)}, .node = "LogaddexpBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g / (exp(b(v) - a(v)) + 1.0); }, [](Vjp& v, V g) { return g / (exp(a(v) - b(v)) + 1.0); }>,
         .scalar = body<log_sum_exp>, .inplace = false},
        {.name = "logaddexp2", .sig = two, .lower = P, .infer = refusing<"logaddexp2_cpu", Bools | Integers>, .layout = Ew,
         .saves = {save_in(0), save_in(1)}, .node = "Logaddexp2Backward0",
         .vjp = gradients<[](Vjp& v, V g) { return g / (apply("exp2"_op, b(v) - a(v)) + 1.0); },
                          [](Vjp& v, V g) { return g / (apply("exp2"_op, a(v) - b(v)) + 1.0); }>,
         .scalar = body<log_sum_exp2>, .inplace = false},
        {.name = "xlogy", .sig = "(T self, N other) -> T", .lower = P, .dtype = F, .layout = Ew,
         .saves = {save_in(0), save_in(1)},
         .node_of = [](const OpCall& c) { return c.types[1].is_tensor() ? "XlogyBackward0" : "XlogyBackward2"; },
         .vjp = gradients<xlogy_self, [](Vjp& v, V g) { return g * a(v) / b(v); }>, .scalar = body<x_log_y>},
        {.name = "xlogy.scalar", .sig = "(Scalar self, T other) -> T", .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(1)},
         .node = "XlogyBackward1",
         .vjp = [](Vjp& v) -> Grads { return {ValueId(), grad_of(v, 1, [&] { return V{&v.b, v.grad()} * a(v) / b(v); })}; },
         .scalar = body<x_log_y>},
        {.name = "heaviside", .sig = "(T self, T values) -> T", .lower = P, .infer = same_dtype_result, .layout = Ew,
         .node = "NotImplemented",
         .scalar = body<[](Inputs x) { return select(x[0] == 0.0, x[1], select(x[0] > 0.0, 1.0, x[0].constant(0))); }>},
        {.name = "copysign", .sig = "(T self, N other) -> T", .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0), save_out(0)},
         .node_of = [](const OpCall& c) { return c.types[1].is_tensor() ? "CopysignBackward0" : "CopysignBackward1"; },
         .vjp = gradients<copysign_self, [](Vjp&, V g) { return zeros_like(g); }>, .scalar = body<with_sign>},
        {.name = "nextafter", .sig = "(T self, T other) -> T", .lower = P, .infer = next_after_result, .layout = Ew,
         .scalar = body<next_after>},
    };
}

}  // namespace sifr::rows
