#include <optional>

#include "ir/base/diagnostic.h"
#include "ir/op/rows/rows.h"
#include "ir/op/rules/nn_rules.h"
#include "ir/op/rules/pointwise_rules.h"

// Losses with an autograd node of their own. Losses that PyTorch composes (cross_entropy, kl_div, …) are written in the prelude.

namespace sifr::rows {
namespace {

using namespace rules;

std::string reduction(const Attrs& a) { return a.get<std::string>("reduction"); }

V reduced(Composite& c, V losses) {
    std::string how = reduction(c.attrs());
    if (how == "none") return losses;
    V total = sum_all(losses);
    return how == "sum" ? total : total / static_cast<double>(losses.type().numel());
}
V x(Composite& c) { return c.in(0); }
V y(Composite& c) { return c.in(1); }

/// 1/n for 'mean', 1 otherwise.
double norm(Vjp& v) {
    if (reduction(v.inst.attrs) != "mean") return 1;
    return 1.0 / static_cast<double>(element_count(broadcast(v.type(v.in(0)).sizes, v.type(v.in(1)).sizes)));
}

V squared_error_slope(Vjp& v, V g) { return (norm(v) * 2.0) * (in(v, 0) - in(v, 1)) * g; }
V absolute_error_slope(Vjp& v, V g) { return norm(v) * sign(in(v, 0) - in(v, 1)) * g; }

V smooth_slope(Vjp& v, V g) {
    V d = in(v, 0) - in(v, 1);
    double beta = v.inst.attrs.get<double>("beta"), n = norm(v);
    V inside = n * d * g / beta;
    return where(le(d, -beta), -n * g, where(ge(d, beta), n * g, inside));
}
V huber_slope(Vjp& v, V g) {
    V d = in(v, 0) - in(v, 1);
    double delta = v.inst.attrs.get<double>("delta"), n = norm(v);
    return where(le(d, -delta), (-n * delta) * g, where(ge(d, delta), (n * delta) * g, n * d * g));
}

V at_least(V a, double bound) { return emit(a, "clamp_min"_op, {a, a.b->constant(bound)}); }

V cross_entropy_of(Composite& c) {
    V loss = (y(c) - 1.0) * at_least(log1p(-x(c)), -100) - y(c) * at_least(log(x(c)), -100);
    return reduced(c, c.given(2) ? loss * c.in(2) : loss);
}
bool weighted(Vjp& v, size_t k = 2) { return k < v.inst.operands.size() && !is_none(v.type(v.in(k))); }
V with_weight(Vjp& v, V slope) {
    if (weighted(v)) slope = slope * in(v, 2);
    return reduction(v.inst.attrs) == "mean" ? slope * norm(v) : slope;
}
V cross_entropy_slope(Vjp& v, V g) {
    V p = in(v, 0);
    return with_weight(v, g * (p - in(v, 1)) / at_least((1.0 - p) * p, 1e-12));
}
V cross_entropy_target_slope(Vjp& v, V g) {
    V p = in(v, 0);
    return with_weight(v, g * (at_least(log1p(-p), -100) - at_least(log(p), -100)));
}

V log_sigmoid(V a) { return apply("logsigmoid"_op, a); }
V logits_loss(Composite& c) {
    V loss = (1.0 - y(c)) * x(c);
    if (c.given(3)) loss = loss - ((c.in(3) - 1.0) * y(c) + 1.0) * log_sigmoid(x(c));
    else loss = loss - log_sigmoid(x(c));
    return reduced(c, c.given(2) ? loss * c.in(2) : loss);
}
V logits_slope(Vjp& v, V g) {
    V s = sigmoid(in(v, 0)), t = in(v, 1);
    if (!weighted(v, 3)) return with_weight(v, (s - t) * g);
    V w = in(v, 3) * t;
    return with_weight(v, ((w + 1.0 - t) * s - w) * g);
}
V logits_target_slope(Vjp& v, V g) {
    V a = in(v, 0);
    if (!weighted(v, 3)) return with_weight(v, -a * g);
    return with_weight(v, (log_sigmoid(-a) - in(v, 3) * log_sigmoid(a)) * g);
}

/// What nll_loss works with: rows of classes at axis 1, targets with that axis as 1.
struct Nll {
    V scores, index, ignored, weight;
};
Nll nll_parts(V self, V target, std::optional<V> weight, const Attrs& a) {
    bool single = rank_of(self) == 1;
    V scores = single ? reshape(self, {1, sizes_of(self)[0]}) : self;
    V t = cast(target, DType::I64);
    Sizes column = single ? Sizes{1, 1} : sizes_of(t);
    if (!single) column.insert(column.begin() + 1, 1);
    t = reshape(t, column);
    V ignored = eq(t, static_cast<double>(a.get_or<int64_t>("ignore_index", -100)));
    V index = where(ignored, 0.0, t);
    V w = where(ignored, 0.0, full_of(*self.b, dtype_of(self), column, 1.0));
    if (weight) {
        V flat = reshape(index, {index.type().numel()});
        V each = emit(*weight, "index_select"_op, {*weight, flat},
                      attrs({{"dim", int64_t{0}}, {"error", std::string("IndexError: Target {} is out of bounds.")}}));
        w = where(ignored, 0.0, reshape(each, column));
    }
    return {scores, index, ignored, w};
}
V nll_loss(Composite& c) {
    std::optional<V> weight;
    if (c.given(2)) weight = c.in(2);
    Nll n = nll_parts(c.in(0), c.in(1), weight, c.attrs());
    V picked = emit(n.scores, "gather"_op, {n.scores, n.index},
                    attrs({{"dim", int64_t{1}}, {"error", std::string("IndexError: Target {} is out of bounds.")}}));
    V losses = where(n.ignored, 0.0, -(picked * n.weight));
    std::string how = reduction(c.attrs());
    if (how == "none") return reshape(losses, c.result().sizes);
    V total = sum_all(losses);
    return how == "sum" ? total : total / sum_all(n.weight);
}
Grads nll_loss_vjp(Vjp& v) {
    Grads out(v.inst.operands.size());
    if (!v.needs(0)) return out;
    std::optional<V> weight;
    if (weighted(v)) weight = in(v, 2);
    Nll n = nll_parts(in(v, 0), in(v, 1), weight, v.inst.attrs);
    std::string how = reduction(v.inst.attrs);
    V g{&v.b, v.grad()};
    if (how == "none") g = reshape(g, sizes_of(n.weight));
    if (how == "mean") g = g / sum_all(n.weight);
    V slope = expand(-n.weight * g, sizes_of(n.index));
    V spread = emit(slope, "scatter"_op, {zeros_like(n.scores), n.index, slope}, attrs({{"dim", int64_t{1}}}));
    out[0] = v.to(0, reshape(spread, v.type(v.in(0)).sizes));
    return out;
}

const char* l1_node(const OpCall& c) {
    auto& how = c.attrs.get<std::string>("reduction");
    return how == "mean" ? "MeanBackward0" : how == "sum" ? "SumBackward0" : "AbsBackward0";
}

std::vector<Type> smooth_result(const OpCall& call) {
    if (call.attrs.get<double>("beta") < 0) raise("RuntimeError", "smooth_l1_loss does not support negative values for beta.");
    if (call.attrs.get<double>("beta") == 0) throw NotSupported("smooth_l1_loss with beta=0", "use l1_loss");
    return loss_result(call, "smooth_l1_cpu");
}
std::vector<Type> huber_result(const OpCall& call) {
    if (call.attrs.get<double>("delta") <= 0) raise("RuntimeError", "huber_loss does not support non-positive values for delta.");
    return loss_result(call, "huber_cpu");
}

template <KernelName kernel>
std::vector<Type> loss(const OpCall& call) {
    return loss_result(call, kernel.text);
}

}  // namespace

Rows losses() {
    constexpr Lower C = Lower::Composite;
    return {
        {.name = "mse_loss", .sig = "(T self, T target, string reduction='mean') -> T", .lower = C, .infer = loss<"mse_cpu">,
         .saves = {save_in(0), save_in(1)}, .node = "MseLossBackward0",
         .vjp = gradients<squared_error_slope, [](Vjp& v, V g) { return -squared_error_slope(v, g); }>,
         .decompose = composite<[](Composite& c) {
             V d = x(c) - y(c);
             return reduced(c, d * d);
         }>,
         .run_time_sizes = true, .inplace = false, .method = false, .function = false},
        {.name = "l1_loss", .sig = "(T self, T target, string reduction='mean') -> T", .lower = C, .infer = loss<"abs_cpu">,
         .node_of = l1_node, .vjp = gradients<absolute_error_slope, [](Vjp& v, V g) { return -absolute_error_slope(v, g); }>,
         .decompose = composite<[](Composite& c) { return reduced(c, abs(x(c) - y(c))); }>, .run_time_sizes = true, .inplace = false, .method = false,
         .function = false},
        {.name = "smooth_l1_loss", .sig = "(T self, T target, string reduction='mean', float beta=1) -> T", .lower = C,
         .infer = smooth_result, .saves = {save_in(0), save_in(1)}, .node = "SmoothL1LossBackward0",
         .vjp = gradients<smooth_slope, [](Vjp& v, V g) { return -smooth_slope(v, g); }>,
         .decompose = composite<[](Composite& c) {
             double beta = c.attrs().get<double>("beta");
             V z = abs(x(c) - y(c));
             return reduced(c, where(lt(z, beta), 0.5 * z * z / beta, z - 0.5 * beta));
         }>,
         .run_time_sizes = true, .inplace = false, .method = false, .function = false},
        {.name = "huber_loss", .sig = "(T self, T target, string reduction='mean', float delta=1) -> T", .lower = C,
         .infer = huber_result, .saves = {save_in(0), save_in(1)}, .node = "HuberLossBackward0",
         .vjp = gradients<huber_slope, [](Vjp& v, V g) { return -huber_slope(v, g); }>,
         .decompose = composite<[](Composite& c) {
             double delta = c.attrs().get<double>("delta");
             V z = abs(x(c) - y(c));
             return reduced(c, where(le(z, delta), 0.5 * z * z, delta * (z - 0.5 * delta)));
         }>,
         .run_time_sizes = true, .inplace = false, .method = false, .function = false},
        {.name = "binary_cross_entropy", .sig = "(T self, T target, T? weight=None, string reduction='mean') -> T", .lower = C,
         .infer = binary_cross_entropy_result, .saves = {save_in(0), save_in(1), save_in(2)}, .node = "BinaryCrossEntropyBackward0",
         .vjp = gradients<cross_entropy_slope, cross_entropy_target_slope>, .decompose = composite<cross_entropy_of>, .run_time_sizes = true, .inplace = false,
         .method = false, .function = false},
        {.name = "binary_cross_entropy_with_logits",
         .sig = "(T self, T target, T? weight=None, T? pos_weight=None, string reduction='mean') -> T", .lower = C,
         .infer = binary_cross_entropy_result, .saves = {save_in(0), save_in(1), save_in(2), save_in(3)},
         .node = "BinaryCrossEntropyWithLogitsBackward0", .vjp = gradients<logits_slope, logits_target_slope>,
         .decompose = composite<logits_loss>, .run_time_sizes = true, .inplace = false, .method = false, .function = false},
        {.name = "nll_loss", .sig = "(T self, T target, T? weight=None, string reduction='mean', int ignore_index=-100) -> T",
         .lower = C, .effect = Effect::Check, .infer = nll_loss_result, .saves = {save_in(0), save_in(1), save_in(2)},
         .node_of = [](const OpCall& c) { return c.types[0].rank() > 2 ? "NllLoss2DBackward0" : "NllLossBackward0"; },
         .vjp = nll_loss_vjp, .decompose = composite<nll_loss>, .run_time_sizes = true, .inplace = false, .method = false, .function = false},
    };
}

}  // namespace sifr::rows
