#include <bit>
#include <optional>

#include "ir/op/rows/rows.h"
#include "ir/op/rules/gradient.h"
#include "ir/op/rules/pointwise_rules.h"
#include "ir/op/rules/scalar_expr.h"

// Arithmetic of two tensors, or of a tensor and a number; conversions and copies.

namespace sifr::rows {
namespace {

using namespace rules;

E sum_of(E a, E b) { return a.type() == DType::Bool ? a || b : a + b; }
E product_of(E a, E b) { return a.type() == DType::Bool ? a && b : a * b; }

/// alpha·g, for `add` and `sub` with a factor.
V scaled(Vjp& v, V g) { return g * in(v, 2); }
V same(Vjp&, V g) { return g; }
V minus(Vjp&, V g) { return -g; }

V no_gradient(Vjp&, V g) { return zeros_like(g); }

const char* by_other(const OpCall& call, const char* number, const char* tensor) {
    return call.types.size() > 1 && call.types[1].is_tensor() ? tensor : number;
}

/// a/b rounded toward zero; integers truncate by themselves.
E trunc_div(E a, E b) { return a.is_float() ? unary(ScalarOp::Trunc, a / b) : a / b; }

V rounded_quotient(V a, V b, const char* mode) {
    return emit(a, "div.mode"_op, {a, b}, attrs({{"rounding_mode", std::string(mode)}}));
}

/// `base` to a known integer power by repeated squaring; overflow wraps.
E integer_power(E base, int64_t exponent) {
    if (exponent == 0) return base.constant(1);
    std::optional<E> result;
    for (E square = base;; square = square * square) {
        if (exponent & 1) result = result ? *result * square : square;
        exponent >>= 1;
        if (exponent == 0) return *result;
    }
}

/// `base` to an integer power known only at run time: 0, 1 or ±1 for a negative exponent, as PyTorch.
E integer_power(E base, E exponent) {
    DType t = base.type();
    auto k = [&](int64_t v) { return E{base.arena, base.arena->constant_int(t, v)}; };
    E result = k(1), square = base, rest = exponent;
    int64_t bits = size_of(t) * 8 - (is_signed(t) ? 1 : 0);
    for (int64_t bit = 0; bit < bits; ++bit) {
        result = select(binary(ScalarOp::And, rest, k(1)) != k(0), result * square, result);
        if (bit + 1 < bits) {
            square = square * square;
            rest = binary(ScalarOp::Shr, rest, k(1));
        }
    }
    if (!is_signed(t)) return result;
    E odd = binary(ScalarOp::And, exponent, k(1)) != k(0);
    E negative = select(base == k(1), k(1), select(base == k(-1), select(odd, k(-1), k(1)), k(0)));
    return select(exponent < k(0), negative, result);
}

/// The powers that PyTorch's kernel computes without `pow`.
E power(E base, E exponent) {
    const Expr known = (*base.arena)[exponent.id];
    if (!base.is_float()) {
        if (known.op == ScalarOp::Const) return integer_power(base, static_cast<int64_t>(known.payload));
        return integer_power(base, exponent);
    }
    if (known.op == ScalarOp::Const) {
        double e = std::bit_cast<double>(known.payload);
        if (e == 0) return base.constant(1);
        if (e == 1) return base;
        if (e == 2) return base * base;
        if (e == 3) return base * base * base;
        if (e == 0.5) return unary(ScalarOp::Sqrt, base);
        if (e == -0.5) return 1.0 / unary(ScalarOp::Sqrt, base);
        if (e == -1) return 1.0 / base;
        if (e == -2) return 1.0 / (base * base);
    }
    return binary(ScalarOp::Pow, base, exponent);
}

/// g · (e · x^(e-1)), and 0 where e is 0.
V power_of_number_vjp(Vjp& v, V g) {
    V x = in(v, 0);
    if (auto e = known(v, 1)) {
        if (*e == 0) return zeros_like(g);
        if (*e == 1) return g;
        return g * (pow(x, *e - 1) * *e);
    }
    // A run-time exponent: an i64 or f64.
    bool is_int = in(v, 1).type().kind == Type::Kind::I64;
    V e = is_int ? V{&v.b, v.b.emit("itof"_op, {v.in(1)})} : in(v, 1);
    V less = {&v.b, v.b.emit("fsub"_op, {e, v.b.constant(1.0)})};
    V zero = {&v.b, v.b.emit("scalar_tensor"_op, {e}, attrs({{"dtype", g.type().dtype}}))};
    return where(eq(zero, 0), 0.0, g * (apply("pow"_op, x, less) * e));
}
V power_base_vjp(Vjp& v, V g) {
    V x = in(v, 0), e = in(v, 1);
    return where(eq(e, 0), 0.0, g * (e * apply("pow.tensor"_op, x, e - 1)));
}
V power_exponent_vjp(Vjp& v, V g) {
    V x = in(v, 0), e = in(v, 1);
    return g * where(logical_and(eq(x, 0), ge(e, 0)), 0.0, out(v) * log(x));
}
/// base^x for a number base: result · ln(base), and 0 where base is 0 and x >= 0.
V exponential_vjp(Vjp& v, V g) {
    V x = in(v, 1);
    V base = {&v.b, v.b.emit("scalar_tensor"_op, {v.in(0)}, attrs({{"dtype", g.type().dtype}}))};
    V slope = g * (out(v) * log(base));
    auto b = known(v, 0);
    if (b && *b != 0) return slope;
    return where(logical_and(eq(base, 0), ge(x, 0)), 0.0, slope);
}

V remainder_other_vjp(Vjp& v, V g) { return -g * rounded_quotient(in(v, 0), in(v, 1), "floor"); }
V fmod_other_vjp(Vjp& v, V g) { return -g * rounded_quotient(in(v, 0), in(v, 1), "trunc"); }

V lerp_weight_vjp(Vjp& v, V g) { return g * (in(v, 1) - in(v, 0)); }
E lerp(E a, E b, E w) {
    E d = b - a;
    return select(unary(ScalarOp::Abs, w) < 0.5, a + w * d, b - d * (1.0 - w));
}

}  // namespace

Rows pointwise_arithmetic() {
    constexpr Lower P = Lower::Pointwise;
    constexpr LayoutRule Ew = LayoutRule::Elementwise;
    constexpr DTypeRule F = DTypeRule::PromoteFloat;
    return {
        {.name = "add", .sig = "(T self, N other) -> T", .lower = P, .layout = Ew, .node = "AddBackward0", .vjp = gradients<same, same>,
         .scalar = body<[](Inputs x) { return sum_of(x[0], x[1]); }>},
        {.name = "add.alpha", .sig = "(T self, N other, *, Scalar alpha) -> T", .lower = P, .infer = add_result, .layout = Ew,
         .node = "AddBackward0", .vjp = gradients<same, scaled>,
         .scalar = body<[](Inputs x) { return sum_of(x[0], product_of(x[2], x[1])); }>},
        {.name = "sub", .sig = "(T self, N other) -> T", .lower = P, .infer = sub_result, .layout = Ew, .node = "SubBackward0",
         .vjp = gradients<same, minus>, .scalar = binary_body<ScalarOp::Sub>},
        {.name = "sub.alpha", .sig = "(T self, N other, *, Scalar alpha) -> T", .lower = P, .infer = sub_result, .layout = Ew,
         .node = "SubBackward0", .vjp = gradients<same, [](Vjp& v, V g) { return -scaled(v, g); }>,
         .scalar = body<[](Inputs x) { return x[0] - x[2] * x[1]; }>},
        {.name = "rsub", .sig = "(T self, N other) -> T", .lower = P, .infer = sub_result, .layout = Ew,
         .node_of = [](const OpCall& c) { return by_other(c, "RsubBackward1", "RsubBackward0"); }, .vjp = gradients<minus, same>,
         .scalar = body<[](Inputs x) { return x[1] - x[0]; }>},
        {.name = "mul", .sig = "(T self, N other) -> T", .lower = P, .layout = Ew, .saves = {save_in(0, 2), save_in(1, 1)},
         .node = "MulBackward0", .vjp = gradients<[](Vjp& v, V g) { return g * in(v, 1); }, [](Vjp& v, V g) { return g * in(v, 0); }>,
         .scalar = body<[](Inputs x) { return product_of(x[0], x[1]); }>},
        {.name = "div", .sig = "(T self, N other) -> T", .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0, 2), save_in(1)},
         .node = "DivBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g / in(v, 1); }, [](Vjp& v, V g) { return -g * ((in(v, 0) / in(v, 1)) / in(v, 1)); }>,
         .scalar = binary_body<ScalarOp::Div>},
        {.name = "div.mode", .sig = "(T self, N other, *, string? rounding_mode) -> T", .lower = P, .infer = round_mode_div_result,
         .layout = Ew, .node = "DivBackward2", .vjp = gradients<no_gradient, no_gradient>,
         .scalar = body<[](Inputs x) {
             bool floor = x.attrs.get<std::string>("rounding_mode") == "floor";
             return floor ? binary(ScalarOp::FloorDiv, x[0], x[1]) : trunc_div(x[0], x[1]);
         }>,
         .whole_division = true},
        // PyTorch names a node but has no derivative: an error in backward.
        {.name = "floor_divide",
         .sig = "(T self, N other) -> T",
         .lower = P,
         .infer = refusing<"div_floor_cpu", Bools>,
         .layout = Ew,
         .node = "NotImplemented",
         .scalar = binary_body<ScalarOp::FloorDiv>,
         .whole_division = true},
        {.name = "remainder",
         .sig = "(T self, N other) -> T",
         .lower = P,
         .infer = refusing<"remainder_cpu", Bools>,
         .layout = Ew,
         .saves = {save_in(0, 2), save_in(1, 2)},
         .node_of = [](const OpCall& c) { return by_other(c, "RemainderBackward0", "RemainderBackward1"); },
         .vjp = gradients<same, remainder_other_vjp>,
         .scalar = binary_body<ScalarOp::Mod>,
         .whole_division = true},
        {.name = "fmod",
         .sig = "(T self, N other) -> T",
         .lower = P,
         .infer = refusing<"fmod_cpu", Bools>,
         .layout = Ew,
         .saves = {save_in(0, 2), save_in(1, 2)},
         .node_of = [](const OpCall& c) { return by_other(c, "FmodBackward0", "FmodBackward1"); },
         .vjp = gradients<same, fmod_other_vjp>,
         .scalar = binary_body<ScalarOp::Rem>,
         .whole_division = true},
        {.name = "neg",
         .sig = "(T self) -> T",
         .lower = P,
         .infer = neg_result,
         .layout = Ew,
         .node = "NegBackward0",
         .vjp = gradients<minus>,
         .scalar = unary_body<ScalarOp::Neg>},

        {.name = "pow", .sig = "(T self, Scalar exponent) -> T", .lower = P, .infer = pow_result, .layout = Ew, .saves = {save_in(0)},
         .node = "PowBackward0", .vjp = gradients<power_of_number_vjp>,
         .scalar = body<[](Inputs x) { return power(x[0], x[1]); }>},
        {.name = "pow.tensor", .sig = "(T self, T exponent) -> T", .lower = P, .infer = pow_result, .layout = Ew,
         .saves = {save_in(0), save_in(1), save_out(0)}, .node = "PowBackward1", .vjp = gradients<power_base_vjp, power_exponent_vjp>,
         .scalar = body<[](Inputs x) { return power(x[0], x[1]); }>},
        {.name = "pow.scalar", .sig = "(Scalar self, T exponent) -> T", .lower = P, .infer = pow_result, .layout = Ew,
         .saves = {save_in(1), save_out(0)}, .node = "PowBackward2",
         .vjp = [](Vjp& v) -> Grads { return {ValueId(), grad_of(v, 1, [&] { return exponential_vjp(v, V{&v.b, v.grad()}); })}; },
         .scalar = body<[](Inputs x) { return power(x[0], x[1]); }>},
        {.name = "square", .sig = "(T self) -> T", .lower = P,
         .compute_dtype = [](const OpCall& c) { return c.types[0].dtype == DType::Bool ? DType::I64 : c.types[0].dtype; }, .layout = Ew,
         .saves = {save_in(0)}, .node = "PowBackward0", .vjp = gradients<[](Vjp& v, V g) { return g * (in(v, 0) * 2.0); }>,
         .scalar = body<[](Inputs x) { return x[0] * x[0]; }>},

        {.name = "lerp", .sig = "(T self, T end, Scalar weight) -> T", .lower = P, .infer = lerp_result, .layout = Ew,
         .node = "LerpBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g - g * in(v, 2); }, [](Vjp& v, V g) { return g * in(v, 2); }>,
         .scalar = body<[](Inputs x) { return lerp(x[0], x[1], x[2]); }>},
        {.name = "lerp.tensor", .sig = "(T self, T end, T weight) -> T", .lower = P, .infer = lerp_result, .layout = Ew,
         .saves = {save_in(0, 4), save_in(1, 4), save_in(2)}, .node = "LerpBackward1",
         .vjp = gradients<[](Vjp& v, V g) { return g * (1.0 - in(v, 2)); }, [](Vjp& v, V g) { return g * in(v, 2); }, lerp_weight_vjp>,
         .scalar = body<[](Inputs x) { return lerp(x[0], x[1], x[2]); }>},
        {.name = "addcmul", .sig = "(T self, T tensor1, T tensor2, *, Scalar value=1) -> T", .lower = P, .layout = Ew,
         .saves = {save_in(1, 4), save_in(2, 2)}, .node = "AddcmulBackward0",
         .vjp = gradients<same, [](Vjp& v, V g) { return g * (in(v, 2) * in(v, 3)); }, [](Vjp& v, V g) { return g * (in(v, 1) * in(v, 3)); }>,
         .scalar = body<[](Inputs x) { return sum_of(x[0], product_of(product_of(x[3], x[1]), x[2])); }>},
        {.name = "addcdiv", .sig = "(T self, T tensor1, T tensor2, *, Scalar value=1) -> T", .lower = P, .infer = addcdiv_result,
         .layout = Ew, .saves = {save_in(1, 4), save_in(2)}, .node = "AddcdivBackward0",
         .vjp = gradients<same, [](Vjp& v, V g) { return g * apply("div"_op, in(v, 3), in(v, 2)); },
                          [](Vjp& v, V g) { return -g * ((in(v, 1) * in(v, 3)) / (in(v, 2) * in(v, 2))); }>,
         .scalar = body<[](Inputs x) { return x[0] + (x[3] * x[1]) / x[2]; }>},

        // Conversion: `to(dtype)`, `float()`, …
        {.name = "cast", .sig = "(T self, *, dtype dtype) -> T", .lower = P, .dtype = DTypeRule::Attribute, .layout = LayoutRule::Like,
         .node = "ToCopyBackward0", .vjp = gradients<same>, .scalar = body<[](Inputs x) { return x[0]; }>, .inplace = false,
         .method = false, .function = false},
        // `%u <- copy %r`: cast and broadcast to the destination are implied.
        {.name = "copy", .sig = "(N src) -> T", .lower = P, .dtype = DTypeRule::First, .layout = LayoutRule::Like,
         .node = "CopyBackwards", .vjp = gradients<same>, .scalar = body<[](Inputs x) { return x[0]; }>, .method = false,
         .function = false},
        // What a composition gives where PyTorch has one node: its printed name.
        {.name = "renamed", .sig = "(T self, string node) -> T", .lower = P, .dtype = DTypeRule::First, .layout = LayoutRule::Like,
         .node_of = [](const OpCall& c) { return std::get<std::string>(*c.attrs.find("node")).c_str(); }, .vjp = gradients<same>,
         .scalar = body<[](Inputs x) { return x[0]; }>, .inplace = false, .method = false, .function = false},
        {.name = "clone", .sig = "(T self, *, string? memory_format=None) -> T", .lower = P, .dtype = DTypeRule::First,
         .layout = LayoutRule::Like, .node = "CloneBackward0", .vjp = gradients<same>, .scalar = body<[](Inputs x) { return x[0]; }>,
         .inplace = false},
    };
}

}  // namespace sifr::rows
