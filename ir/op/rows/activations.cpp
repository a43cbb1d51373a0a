#include <cmath>

#include "ir/op/rows/rows.h"
#include "ir/op/rules/gradient.h"
#include "ir/op/rules/pointwise_rules.h"
#include "ir/op/rules/scalar_expr.h"

// Activation functions: one element in, one out. Most are reached as `torch.nn.functional.…` only.

namespace sifr::rows {
namespace {

using namespace rules;

V x(Vjp& v) { return in(v, 0); }
E exp_of(E e) { return unary(ScalarOp::Exp, e); }
V sigmoid_of(V e) { return reciprocal(exp(-e) + 1.0); }
double number(const Attrs& a, const char* name) { return a.get<double>(name); }

constexpr double sqrt_half = 0.70710678118654752440, two_by_sqrt_pi = 1.12837916709551257390, sqrt_two = 1.41421356237309504880;
constexpr double gelu_kappa = 0.044715;

E gelu(Inputs in) {
    E e = in[0];
    if (in.attrs.get<std::string>("approximate") == "none") return e * 0.5 * (1.0 + unary(ScalarOp::Erf, e * sqrt_half));
    E inner = (sqrt_two * two_by_sqrt_pi * 0.5) * (e + gelu_kappa * (e * e * e));
    return 0.5 * e * (1.0 + unary(ScalarOp::Tanh, inner));
}
V gelu_vjp(Vjp& v, V g) {
    V e = x(v);
    if (v.inst.attrs.get<std::string>("approximate") == "none") {
        V cdf = 0.5 * (erf(e * sqrt_half) + 1.0);
        V pdf = exp(e * e * -0.5) * (two_by_sqrt_pi * sqrt_half * 0.5);
        return g * (cdf + e * pdf);
    }
    constexpr double beta = sqrt_two * two_by_sqrt_pi * 0.5;
    V square = e * e;
    V t = tanh((e + square * e * gelu_kappa) * beta);
    V left = e * 0.5, right = t + 1.0;
    V inner_derivative = (square * (3.0 * gelu_kappa) + 1.0) * beta;
    return g * (right * 0.5 + left * (1.0 - t * t) * inner_derivative);
}

V silu_vjp(Vjp& v, V g) {
    V s = sigmoid_of(x(v));
    return g * s * (x(v) * (1.0 - s) + 1.0);
}

E mish(Inputs in) { return in[0] * unary(ScalarOp::Tanh, unary(ScalarOp::Log1p, exp_of(in[0]))); }
V mish_vjp(Vjp& v, V g) {
    V s = sigmoid_of(x(v));
    V t = tanh(log1p(exp(x(v))));
    return g * (t + x(v) * s * (1.0 - t * t));
}

E elu(Inputs in) {
    double negative = number(in.attrs, "alpha") * number(in.attrs, "scale"), positive = number(in.attrs, "scale");
    E e = in[0];
    return select(e <= 0.0, unary(ScalarOp::Expm1, e * number(in.attrs, "input_scale")) * negative, e * positive);
}
V elu_slope(V e, V g, double alpha, double scale, double input_scale) {
    return where(le(e, 0), g * (input_scale * alpha * scale) * exp(e * input_scale), g * scale);
}
V elu_vjp(Vjp& v, V g) {
    const Attrs& a = v.inst.attrs;
    return elu_slope(x(v), g, number(a, "alpha"), number(a, "scale"), number(a, "input_scale"));
}
E celu(Inputs in) {
    double alpha = number(in.attrs, "alpha");
    return select(in[0] <= 0.0, unary(ScalarOp::Expm1, in[0] * (1.0 / alpha)) * alpha, in[0]);
}
constexpr double selu_alpha = 1.6732632423543772848170429916717, selu_scale = 1.0507009873554804934193349852946;

E softplus(Inputs in) {
    double beta = number(in.attrs, "beta"), threshold = number(in.attrs, "threshold");
    E scaled = in[0] * beta;
    return select(scaled > threshold, in[0], unary(ScalarOp::Log1p, exp_of(scaled)) / beta);
}
V softplus_vjp(Vjp& v, V g) {
    double beta = number(v.inst.attrs, "beta"), threshold = number(v.inst.attrs, "threshold");
    V scaled = x(v) * beta;
    V z = exp(scaled);
    return where(gt(scaled, threshold), g, g * z / (z + 1.0));
}

E log_sigmoid(Inputs in) {
    E e = in[0];
    return minimum(e, 0.0) - unary(ScalarOp::Log1p, exp_of(-unary(ScalarOp::Abs, e)));
}
V log_sigmoid_vjp(Vjp& v, V g) {
    V e = x(v), z = exp(-abs(e));
    V share = z / (z + 1.0);
    return g * where(lt(e, 0), 1.0 - share, share);
}

E relu(Inputs in) { return maximum(in[0], 0.0); }

}  // namespace

Rows activations() {
    constexpr Lower P = Lower::Pointwise;
    constexpr LayoutRule Ew = LayoutRule::Elementwise;
    const char* one = "(T self) -> T";
    return {
        {.name = "relu", .sig = one, .lower = P, .infer = relu_result, .layout = Ew, .saves = {save_out(0)}, .node = "ReluBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return where(le(out(v), 0), 0.0, g); }>, .scalar = body<relu>},
        {.name = "relu6", .sig = one, .lower = P, .infer = relu_result, .layout = Ew, .saves = {save_in(0)}, .node = "HardtanhBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return where(logical_or(le(x(v), 0), ge(x(v), 6)), 0.0, g); }>,
         .scalar = body<[](Inputs in) { return minimum(maximum(in[0], 0.0), 6.0); }>, .method = false, .function = false},
        {.name = "hardtanh", .sig = "(T self, float min_val=-1, float max_val=1) -> T", .lower = P, .infer = relu_result, .layout = Ew,
         .saves = {save_in(0)}, .node = "HardtanhBackward0",
         .vjp = gradients<[](Vjp& v, V g) {
             const Attrs& a = v.inst.attrs;
             return where(logical_or(le(x(v), number(a, "min_val")), ge(x(v), number(a, "max_val"))), 0.0, g);
         }>,
         .scalar = body<[](Inputs in) { return minimum(maximum(in[0], number(in.attrs, "min_val")), number(in.attrs, "max_val")); }>,
         .method = false, .function = false},
        {.name = "gelu", .sig = "(T self, *, string approximate='none') -> T", .lower = P, .infer = gelu_result, .layout = Ew,
         .saves = {save_in(0)}, .node = "GeluBackward0", .vjp = gradients<gelu_vjp>, .scalar = body<gelu>, .method = false,
         .function = false},
        {.name = "silu", .sig = one, .lower = P, .infer = refusing<"silu_cpu", Bools | Integers>, .layout = Ew, .saves = {save_in(0)},
         .node = "SiluBackward0", .vjp = gradients<silu_vjp>, .scalar = body<[](Inputs in) { return in[0] / (1.0 + exp_of(-in[0])); }>,
         .method = false, .function = false},
        {.name = "mish", .sig = one, .lower = P, .infer = refusing<"mish_cpu", Bools | Integers>, .layout = Ew, .saves = {save_in(0)},
         .node = "MishBackward0", .vjp = gradients<mish_vjp>, .scalar = body<mish>, .method = false, .function = false},
        {.name = "leaky_relu", .sig = "(T self, float negative_slope=0.01) -> T", .lower = P,
         .infer = refusing<"leaky_relu_cpu", Bools | Integers>, .layout = Ew, .saves = {save_in(0)}, .node = "LeakyReluBackward0",
         .inplace_node = "LeakyReluBackward1",
         .vjp = gradients<[](Vjp& v, V g) { return where(gt(x(v), 0), g, g * number(v.inst.attrs, "negative_slope")); }>,
         .scalar = body<[](Inputs in) { return select(in[0] > 0.0, in[0], in[0] * number(in.attrs, "negative_slope")); }>,
         .method = false, .function = false},
        {.name = "prelu", .sig = "(T self, T weight) -> T", .lower = P, .infer = refusing<"prelu_cpu", Bools | Integers>, .layout = Ew,
         .saves = {save_in(0), save_in(1)}, .node = "PreluKernelBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return where(gt(x(v), 0), g, g * in(v, 1)); },
                          [](Vjp& v, V g) { return where(gt(x(v), 0), 0.0, g * x(v)); }>,
         .scalar = body<[](Inputs in) { return select(in[0] > 0.0, in[0], in[1] * in[0]); }>, .inplace = false, .method = false,
         .function = false},
        {.name = "elu", .sig = "(T self, float alpha=1, float scale=1, float input_scale=1) -> T", .lower = P,
         .infer = refusing<"elu_cpu", Bools | Integers>, .layout = Ew, .saves = {save_in(0)}, .node = "EluBackward0",
         .inplace_node = "EluBackward1", .vjp = gradients<elu_vjp>, .scalar = body<elu>, .method = false, .function = false},
        {.name = "selu", .sig = one, .lower = P, .infer = refusing<"elu_cpu", Bools | Integers>, .layout = Ew, .saves = {save_in(0)},
         .node = "EluBackward0", .inplace_node = "EluBackward1", .vjp = gradients<[](Vjp& v, V g) { return elu_slope(x(v), g, selu_alpha, selu_scale, 1.0); }>,
         .scalar = body<[](Inputs in) {
             return select(in[0] <= 0.0, unary(ScalarOp::Expm1, in[0]) * (selu_alpha * selu_scale), in[0] * selu_scale);
         }>,
         .method = false},
        {.name = "celu", .sig = "(T self, float alpha=1) -> T", .lower = P, .infer = refusing<"elu_cpu", Bools | Integers>, .layout = Ew,
         .saves = {save_in(0)}, .node = "CeluBackward0", .inplace_node = "CeluBackward1",
         .vjp = gradients<[](Vjp& v, V g) {
             double alpha = number(v.inst.attrs, "alpha");
             return elu_slope(x(v), g, alpha, 1.0, 1.0 / alpha);
         }>,
         .scalar = body<celu>, .method = false},
        {.name = "softplus", .sig = "(T self, float beta=1, float threshold=20) -> T", .lower = P,
         .infer = refusing<"softplus_cpu", Bools | Integers>, .layout = Ew, .saves = {save_in(0)}, .node = "SoftplusBackward0",
         .vjp = gradients<softplus_vjp>, .scalar = body<softplus>, .inplace = false, .method = false, .function = false},
        {.name = "logsigmoid", .sig = one, .lower = P, .infer = refusing<"log_sigmoid_cpu", Bools | Integers>, .layout = Ew,
         .saves = {save_in(0)}, .node = "LogSigmoidBackward0", .vjp = gradients<log_sigmoid_vjp>, .scalar = body<log_sigmoid>,
         .inplace = false, .method = false, .function = false},
        {.name = "hardswish", .sig = one, .lower = P, .infer = refusing<"hardswish_cpu", Bools | Integers>, .layout = Ew,
         .saves = {save_in(0)}, .node = "HardswishBackward0",
         .vjp = gradients<[](Vjp& v, V g) {
             return where(le(x(v), -3), 0.0, where(lt(x(v), 3), g * (x(v) / 3.0 + 0.5), g));
         }>,
         .scalar = body<[](Inputs in) { return in[0] * minimum(maximum(in[0] + 3.0, 0.0), 6.0) / 6.0; }>, .method = false,
         .function = false},
        {.name = "hardsigmoid", .sig = one, .lower = P, .infer = refusing<"hardsigmoid_cpu", Bools | Integers>, .layout = Ew,
         .saves = {save_in(0)}, .node = "HardsigmoidBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return where(logical_and(gt(x(v), -3), lt(x(v), 3)), g * (1.0 / 6.0), 0.0); }>,
         .scalar = body<[](Inputs in) { return minimum(maximum(in[0] + 3.0, 0.0), 6.0) / 6.0; }>, .method = false, .function = false},
        {.name = "threshold", .sig = "(T self, float threshold, float value) -> T", .lower = P, .infer = relu_result, .layout = Ew,
         .saves = {save_in(0)}, .node = "ThresholdBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return where(le(x(v), number(v.inst.attrs, "threshold")), 0.0, g); }>,
         .scalar = body<[](Inputs in) {
             return select(in[0] <= number(in.attrs, "threshold"), number(in.attrs, "value"), in[0]);
         }>,
         .method = false},
        {.name = "softshrink", .sig = "(T self, float lambd=0.5) -> T", .lower = P, .infer = refusing<"softshrink_cpu", Bools | Integers>,
         .layout = Ew, .saves = {save_in(0)}, .node = "SoftshrinkBackward0",
         .vjp = gradients<[](Vjp& v, V g) {
             double l = number(v.inst.attrs, "lambd");
             return where(logical_and(ge(x(v), -l), le(x(v), l)), 0.0, g);
         }>,
         .scalar = body<[](Inputs in) {
             double l = number(in.attrs, "lambd");
             return select(in[0] > l, in[0] - l, select(in[0] < -l, in[0] + l, in[0] * 0.0));
         }>,
         .inplace = false, .method = false, .function = false},
        {.name = "hardshrink", .sig = "(T self, float lambd=0.5) -> T", .lower = P, .infer = refusing<"hardshrink_cpu", Bools | Integers>,
         .layout = Ew, .saves = {save_in(0)}, .node = "HardshrinkBackward0",
         .vjp = gradients<[](Vjp& v, V g) {
             double l = number(v.inst.attrs, "lambd");
             return where(logical_and(ge(x(v), -l), le(x(v), l)), 0.0, g);
         }>,
         .scalar = body<[](Inputs in) {
             double l = number(in.attrs, "lambd");
             return select(in[0] >= -l && in[0] <= l, in[0].constant(0), in[0]);
         }>,
         .inplace = false},
    };
}

}  // namespace sifr::rows
