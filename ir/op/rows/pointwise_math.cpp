#include <cmath>
#include <limits>

#include "ir/op/rows/rows.h"
#include "ir/op/rules/gradient.h"
#include "ir/op/rules/pointwise_rules.h"
#include "ir/op/rules/scalar_expr.h"

// Mathematical functions of one element.

namespace sifr::rows {
namespace {

using namespace rules;

V zero(Vjp&, V g) { return zeros_like(g); }
V x(Vjp& v) { return in(v, 0); }
V y(Vjp& v) { return out(v); }

constexpr double ln2 = 0.69314718055994530942, ln10 = 2.3025850929940456840, sqrt_pi = 1.77245385090551602730;
constexpr double degree = 0.017453292519943295769236907684886, radian = 57.295779513082320876798154814105;

/// floor, ceil and their like leave integers alone.
template <ScalarOp op>
ExprId float_only(ExprArena& arena, std::span<const ExprId> in, const Attrs&) {
    return is_float(arena.type(in[0])) ? arena.unary(op, in[0]) : in[0];
}

E sign_of(E a) {
    if (a.type() == DType::Bool) return a;
    if (!a.is_float() && !is_signed(a.type())) return select(a > 0.0, 1.0, a.constant(0));
    return select(a > 0.0, 1.0, select(a < 0.0, -1.0, a.constant(0)));  // 0 for NaN, as PyTorch
}

E sigmoid_of(E a) { return 1.0 / (1.0 + unary(ScalarOp::Exp, -a)); }

E rounded_to(Inputs in) {
    auto decimals = in.attrs.get<int64_t>("decimals");
    E a = in[0];
    if (!a.is_float() || decimals == 0) return a.is_float() ? unary(ScalarOp::Round, a) : a;
    E p = a.constant(std::pow(10.0, static_cast<double>(std::abs(decimals))));
    return decimals > 0 ? unary(ScalarOp::Round, a * p) / p : unary(ScalarOp::Round, a / p) * p;
}

E logit_of(Inputs in) {
    E a = in[0];
    const AttrValue* eps = in.attrs.find("eps");
    if (eps && std::holds_alternative<double>(*eps)) {
        E lo = a.constant(std::get<double>(*eps)), hi = 1.0 - lo;
        a = select(a < lo, lo, select(a > hi, hi, a));
    }
    return unary(ScalarOp::Log, a / (1.0 - a));
}

V logit_vjp(Vjp& v, V g) {
    const AttrValue* eps = v.inst.attrs.find("eps");
    bool bounded = eps && std::holds_alternative<double>(*eps);
    double lo = bounded ? std::get<double>(*eps) : 0.0;
    V outside = logical_or(lt(x(v), lo), gt(x(v), 1.0 - lo));
    return where(outside, bounded ? 0.0 : std::numeric_limits<double>::quiet_NaN(), g / (x(v) * (1.0 - x(v))));
}

E nan_to_num_of(Inputs in) {
    E a = in[0];
    if (!a.is_float()) return a;
    double largest = a.type() == DType::F32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    E up = a.constant(in.attrs.get_or("posinf", largest)), down = a.constant(in.attrs.get_or("neginf", -largest));
    double inf = std::numeric_limits<double>::infinity();
    return select(a != a, a.constant(in.attrs.get_or("nan", 0.0)), select(a == inf, up, select(a == -inf, down, a)));
}

E is_infinite(E a) { return unary(ScalarOp::Abs, a) == std::numeric_limits<double>::infinity(); }
E known_bool(E a, bool v) { return {a.arena, a.arena->constant_int(DType::Bool, v)}; }

constexpr double pi = 3.14159265358979323846;
/// sin(πx) / (πx), 1 at 0.
E sinc_of(E a) {
    E p = a * pi;
    return select(a == 0.0, 1.0, unary(ScalarOp::Sin, p) / p);
}
V sinc_vjp(Vjp& v, V g) {
    V p = x(v) * pi;
    return g * where(eq(x(v), 0), 0.0, (p * cos(p) - sin(p)) / (p * x(v)));
}

E sign_bit(E a) {
    if (!a.is_float()) return is_signed(a.type()) ? a < 0.0 : known_bool(a, false);
    DType bits = a.type() == DType::F32 ? DType::I32 : DType::I64;
    E i = {a.arena, a.arena->bitcast(a.id, bits)};
    return i < 0.0;
}

}  // namespace

#define SIFR_TESTS(formula) \
    .sig = "(T self) -> T", .lower = P, .dtype = DTypeRule::Compare, .layout = Ew, .scalar = body<formula>, .inplace = false

Rows pointwise_math() {
    constexpr Lower P = Lower::Pointwise;
    constexpr LayoutRule Ew = LayoutRule::Elementwise;
    constexpr DTypeRule F = DTypeRule::PromoteFloat;
    const char* one = "(T self) -> T";
    return {
        {.name = "abs", .sig = one, .lower = P, .infer = refusing<"abs_cpu", Bools>, .layout = Ew, .saves = {save_in(0)},
         .node = "AbsBackward0", .vjp = gradients<[](Vjp& v, V g) { return g * sign(x(v)); }>,
         .scalar = body<[](Inputs in) { return is_signed(in[0].type()) ? unary(ScalarOp::Abs, in[0]) : in[0]; }>},
        {.name = "sign", .sig = one, .lower = P, .layout = Ew, .node = "SignBackward0", .vjp = gradients<zero>,
         .scalar = body<[](Inputs in) { return sign_of(in[0]); }>},
        {.name = "sgn", .sig = one, .lower = P, .layout = Ew, .saves = {save_in(0), save_out(0)}, .node = "SgnBackward0",
         .vjp = gradients<zero>, .scalar = body<[](Inputs in) { return sign_of(in[0]); }>},
        {.name = "sqrt", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_out(0)}, .node = "SqrtBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g / (y(v) * 2.0); }>, .scalar = unary_body<ScalarOp::Sqrt>},
        {.name = "rsqrt", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_out(0)}, .node = "RsqrtBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * -0.5 * pow(y(v), 3); }>,
         .scalar = body<[](Inputs in) { return 1.0 / unary(ScalarOp::Sqrt, in[0]); }>},
        {.name = "reciprocal", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_out(0)}, .node = "ReciprocalBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return -g * (y(v) * y(v)); }>, .scalar = body<[](Inputs in) { return 1.0 / in[0]; }>},

        {.name = "exp", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_out(0)}, .node = "ExpBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * y(v); }>, .scalar = unary_body<ScalarOp::Exp>},
        {.name = "exp2", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_out(0)}, .node = "Exp2Backward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * y(v) * ln2; }>, .scalar = unary_body<ScalarOp::Exp2>},
        {.name = "expm1", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_out(0)}, .node = "Expm1Backward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * (y(v) + 1.0); }>, .scalar = unary_body<ScalarOp::Expm1>},
        {.name = "log", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "LogBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g / x(v); }>, .scalar = unary_body<ScalarOp::Log>},
        {.name = "log2", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "Log2Backward0",
         .vjp = gradients<[](Vjp& v, V g) { return g / (x(v) * ln2); }>, .scalar = unary_body<ScalarOp::Log2>},
        {.name = "log10", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "Log10Backward0",
         .vjp = gradients<[](Vjp& v, V g) { return g / (x(v) * ln10); }>, .scalar = unary_body<ScalarOp::Log10>},
        {.name = "log1p", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "Log1PBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g / (x(v) + 1.0); }>, .scalar = unary_body<ScalarOp::Log1p>},

        {.name = "sin", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "SinBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * cos(x(v)); }>, .scalar = unary_body<ScalarOp::Sin>},
        {.name = "cos", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "CosBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * -sin(x(v)); }>, .scalar = unary_body<ScalarOp::Cos>},
        {.name = "tan", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_out(0)}, .node = "TanBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * (pow(y(v), 2) + 1.0); }>, .scalar = unary_body<ScalarOp::Tan>},
        {.name = "asin", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "AsinBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * rsqrt(-x(v) * x(v) + 1.0); }>, .scalar = unary_body<ScalarOp::Asin>},
        {.name = "acos", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "AcosBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * -rsqrt(-x(v) * x(v) + 1.0); }>, .scalar = unary_body<ScalarOp::Acos>},
        {.name = "atan", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "AtanBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g / (x(v) * x(v) + 1.0); }>, .scalar = unary_body<ScalarOp::Atan>},
        {.name = "sinh", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "SinhBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * cosh(x(v)); }>, .scalar = unary_body<ScalarOp::Sinh>},
        {.name = "cosh", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "CoshBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * sinh(x(v)); }>, .scalar = unary_body<ScalarOp::Cosh>},
        {.name = "tanh", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_out(0)}, .node = "TanhBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * (1.0 - y(v) * y(v)); }>, .scalar = unary_body<ScalarOp::Tanh>},
        {.name = "asinh", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "AsinhBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * rsqrt(pow(x(v), 2) + 1.0); }>, .scalar = unary_body<ScalarOp::Asinh>},
        {.name = "acosh", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "AcoshBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * rsqrt(pow(x(v), 2) - 1.0); }>, .scalar = unary_body<ScalarOp::Acosh>},
        {.name = "atanh", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "AtanhBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * reciprocal(1.0 - pow(x(v), 2)); }>, .scalar = unary_body<ScalarOp::Atanh>},

        {.name = "erf", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "ErfBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return exp(-pow(x(v), 2)) * (2.0 / sqrt_pi) * g; }>, .scalar = unary_body<ScalarOp::Erf>},
        {.name = "erfc", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "ErfcBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return exp(-pow(x(v), 2)) * (-2.0 / sqrt_pi) * g; }>, .scalar = unary_body<ScalarOp::Erfc>},
        {.name = "erfinv", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "ErfinvBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return exp(pow(y(v), 2)) * (0.5 * sqrt_pi) * g; }>, .scalar = unary_body<ScalarOp::Erfinv>},
        {.name = "lgamma", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "LgammaBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * digamma(x(v)); }>, .scalar = unary_body<ScalarOp::Lgamma>},
        // Its derivative is the trigamma function, which is no row.
        {.name = "digamma", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "DigammaBackward0",
         .scalar = unary_body<ScalarOp::Digamma>},
        {.name = "sigmoid", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_out(0)}, .node = "SigmoidBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * (1.0 - y(v)) * y(v); }>,
         .scalar = body<[](Inputs in) { return sigmoid_of(in[0]); }>},
        {.name = "logit", .sig = "(T self, float? eps=None) -> T", .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)},
         .node = "LogitBackward0", .vjp = gradients<logit_vjp>, .scalar = body<logit_of>},
        {.name = "deg2rad", .sig = one, .lower = P, .dtype = F, .layout = Ew, .node = "Deg2RadBackward0",
         .vjp = gradients<[](Vjp&, V g) { return g * degree; }>, .scalar = body<[](Inputs in) { return in[0] * degree; }>},
        {.name = "rad2deg", .sig = one, .lower = P, .dtype = F, .layout = Ew, .node = "Rad2DegBackward0",
         .vjp = gradients<[](Vjp&, V g) { return g * radian; }>, .scalar = body<[](Inputs in) { return in[0] * radian; }>},

        {.name = "floor", .sig = one, .lower = P, .infer = refusing<"floor_vml_cpu", Bools>, .layout = Ew, .node = "FloorBackward0",
         .vjp = gradients<zero>, .scalar = float_only<ScalarOp::Floor>},
        {.name = "ceil", .sig = one, .lower = P, .infer = refusing<"ceil_vml_cpu", Bools>, .layout = Ew, .node = "CeilBackward0",
         .vjp = gradients<zero>, .scalar = float_only<ScalarOp::Ceil>},
        {.name = "trunc", .sig = one, .lower = P, .infer = refusing<"trunc_vml_cpu", Bools>, .layout = Ew, .node = "TruncBackward0",
         .vjp = gradients<zero>, .scalar = float_only<ScalarOp::Trunc>},
        {.name = "round", .sig = one, .lower = P, .infer = refusing<"round_vml_cpu", Bools>, .layout = Ew, .node = "RoundBackward0",
         .vjp = gradients<zero>, .scalar = float_only<ScalarOp::Round>},
        {.name = "round.decimals", .sig = "(T self, *, int decimals) -> T", .lower = P, .infer = refusing<"round_cpu", Bools | Integers>,
         .layout = Ew, .node = "RoundBackward1", .vjp = gradients<zero>, .scalar = body<rounded_to>},
        {.name = "frac", .sig = one, .lower = P, .infer = refusing<"frac_cpu", Bools | Integers>, .layout = Ew, .node = "FracBackward0",
         .vjp = gradients<[](Vjp&, V g) { return g; }>,
         .scalar = body<[](Inputs in) { return in[0] - unary(ScalarOp::Trunc, in[0]); }>},
        {.name = "nan_to_num", .sig = "(T self, float? nan=None, float? posinf=None, float? neginf=None) -> T", .lower = P, .layout = Ew,
         .saves = {save_in(0)}, .node = "NanToNumBackward0", .vjp = gradients<[](Vjp& v, V g) { return g * isfinite(x(v)); }>,
         .scalar = body<nan_to_num_of>},

        {.name = "sinc", .sig = one, .lower = P, .dtype = F, .layout = Ew, .saves = {save_in(0)}, .node = "SincBackward0",
         .vjp = gradients<sinc_vjp>, .scalar = body<[](Inputs in) { return sinc_of(in[0]); }>},

        {.name = "isnan", SIFR_TESTS([](Inputs in) { return in[0].is_float() ? in[0] != in[0] : known_bool(in[0], false); })},
        {.name = "isinf", SIFR_TESTS([](Inputs in) { return in[0].is_float() ? is_infinite(in[0]) : known_bool(in[0], false); })},
        {.name = "isfinite", SIFR_TESTS([](Inputs in) {
            return in[0].is_float() ? unary(ScalarOp::Abs, in[0]) < std::numeric_limits<double>::infinity() : known_bool(in[0], true);
        })},
        {.name = "isposinf", SIFR_TESTS([](Inputs in) {
            return in[0].is_float() ? in[0] == std::numeric_limits<double>::infinity() : known_bool(in[0], false);
        })},
        {.name = "isneginf", SIFR_TESTS([](Inputs in) {
            return in[0].is_float() ? in[0] == -std::numeric_limits<double>::infinity() : known_bool(in[0], false);
        })},
        {.name = "signbit", SIFR_TESTS([](Inputs in) { return sign_bit(in[0]); })},
    };
}
#undef SIFR_TESTS

}  // namespace sifr::rows
