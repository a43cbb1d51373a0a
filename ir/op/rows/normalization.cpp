#include <algorithm>
#include <cmath>

#include "ir/op/rows/rows.h"
#include "ir/op/rules/nn_rules.h"
#include "ir/op/rules/shape_rules.h"

// Normalisations: mean and variance over some axes, in two passes, then scale and shift; and distances.

namespace sifr::rows {
namespace {

using namespace rules;

/// (x - mean)·rstd over `dims`, with the two statistics (kept axes).
struct Normal {
    V mean, var, rstd, value;
};
Normal normalized(V x, const std::vector<int64_t>& dims, double eps) {
    double n = 1;
    for (int64_t d : dims) n *= static_cast<double>(sizes_of(x)[d]);
    V mean = sum(x, dims) / n;
    V centred = x - mean;
    V var = sum(centred * centred, dims) / n;
    V rstd = rsqrt(var + eps);
    return {mean, var, rstd, centred * rstd};
}
/// The gradient of `normalized`: rstd·(g - mean(g) - value·mean(g·value)).
V normalized_slope(const Normal& n, V g, const std::vector<int64_t>& dims) {
    double count = 1;
    for (int64_t d : dims) count *= static_cast<double>(sizes_of(g)[d]);
    V mean_g = sum(g, dims) / count, mean_gx = sum(g * n.value, dims) / count;
    return n.rstd * (g - mean_g - n.value * mean_gx);
}

std::vector<int64_t> last_axes(int64_t rank, size_t count) {
    std::vector<int64_t> dims;
    for (int64_t d = rank - static_cast<int64_t>(count); d < rank; ++d) dims.push_back(d);
    return dims;
}
std::vector<int64_t> all_but(int64_t rank, int64_t axis) {
    std::vector<int64_t> dims;
    for (int64_t d = 0; d < rank; ++d)
        if (d != axis) dims.push_back(d);
    return dims;
}
bool given(Vjp& v, size_t k) { return k < v.inst.operands.size() && !is_none(v.type(v.in(k))); }
double eps_of(const Attrs& a) { return a.get<double>("eps"); }

// layer_norm: operands self, weight, bias
V layer_norm(Composite& c) {
    V x = c.in(0);
    V y = normalized(x, last_axes(rank_of(x), ints(c.attrs(), "normalized_shape").size()), eps_of(c.attrs())).value;
    if (c.given(1)) y = y * c.in(1);
    return c.given(2) ? y + c.in(2) : y;
}
Grads layer_norm_vjp(Vjp& v) {
    V x = in(v, 0), g{&v.b, v.grad()};
    auto dims = last_axes(rank_of(x), ints(v.inst.attrs, "normalized_shape").size());
    Normal n = normalized(x, dims, eps_of(v.inst.attrs));
    Grads out(3);
    if (v.needs(0)) out[0] = v.to(0, normalized_slope(n, given(v, 1) ? g * in(v, 1) : g, dims));
    if (given(v, 1) && v.needs(1)) out[1] = v.to(1, g * n.value);
    if (given(v, 2) && v.needs(2)) out[2] = v.to(2, g);
    return out;
}

// batch_norm: statistics over all axes but 1; weight and bias per channel
Sizes channel_shape(V x) {
    Sizes s(static_cast<size_t>(rank_of(x)), 1);
    s[1] = sizes_of(x)[1];
    return s;
}
V per_channel(V a, V x) { return reshape(a, channel_shape(x)); }
std::vector<ValueId> batch_norm_train(Composite& c) {
    V x = c.in(0);
    Normal n = normalized(x, all_but(rank_of(x), 1), eps_of(c.attrs()));
    V y = n.value;
    if (c.given(1)) y = y * per_channel(c.in(1), x);
    if (c.given(2)) y = y + per_channel(c.in(2), x);
    Sizes flat = {sizes_of(x)[1]};
    return {y, reshape(n.mean, flat), reshape(n.var, flat)};
}
Grads batch_norm_train_vjp(Vjp& v) {
    V x = in(v, 0), g{&v.b, v.grad()};
    auto dims = all_but(rank_of(x), 1);
    Normal n = normalized(x, dims, eps_of(v.inst.attrs));
    Sizes flat = {sizes_of(x)[1]};
    Grads out(5);
    if (v.needs(0)) {
        V slope = normalized_slope(n, given(v, 1) ? g * per_channel(in(v, 1), x) : g, dims);
        double count = static_cast<double>(x.type().numel()) / static_cast<double>(flat[0]);
        if (v.has_grad(1)) slope = slope + per_channel(V{&v.b, v.grad(1)}, x) / count;
        if (v.has_grad(2)) slope = slope + per_channel(V{&v.b, v.grad(2)}, x) * (x - n.mean) * (2.0 / count);
        out[0] = v.to(0, slope);
    }
    if (given(v, 1) && v.needs(1)) out[1] = reshape(sum(g * n.value, dims), flat);
    if (given(v, 2) && v.needs(2)) out[2] = reshape(sum(g, dims), flat);
    return out;
}
// operands self, running_mean, running_var, weight, bias
V batch_norm(Composite& c) {
    V x = c.in(0);
    V y = (x - per_channel(c.in(1), x)) * per_channel(rsqrt(c.in(2) + eps_of(c.attrs())), x);
    if (c.given(3)) y = y * per_channel(c.in(3), x);
    return c.given(4) ? y + per_channel(c.in(4), x) : y;
}
Grads batch_norm_vjp(Vjp& v) {
    V x = in(v, 0), g{&v.b, v.grad()};
    auto dims = all_but(rank_of(x), 1);
    V rstd = per_channel(rsqrt(in(v, 2) + eps_of(v.inst.attrs)), x);
    Sizes flat = {sizes_of(x)[1]};
    Grads out(5);
    if (v.needs(0)) out[0] = v.to(0, (given(v, 3) ? g * per_channel(in(v, 3), x) : g) * rstd);
    if (given(v, 3) && v.needs(3)) out[3] = reshape(sum(g * ((x - per_channel(in(v, 1), x)) * rstd), dims), flat);
    if (given(v, 4) && v.needs(4)) out[4] = reshape(sum(g, dims), flat);
    return out;
}

// group_norm: [n, groups, the rest of one group]
Sizes grouped_shape(const Sizes& s, int64_t groups) { return {s[0], groups, element_count(s) / std::max<int64_t>(s[0] * groups, 1)}; }
V group_norm(Composite& c) {
    V x = c.in(0);
    V grouped = reshape(x, grouped_shape(sizes_of(x), c.attrs().get<int64_t>("num_groups")));
    V y = reshape(normalized(grouped, {2}, eps_of(c.attrs())).value, sizes_of(x));
    if (c.given(1)) y = y * per_channel(c.in(1), x);
    return c.given(2) ? y + per_channel(c.in(2), x) : y;
}
Grads group_norm_vjp(Vjp& v) {
    V x = in(v, 0), g{&v.b, v.grad()};
    Sizes shape = grouped_shape(sizes_of(x), v.inst.attrs.get<int64_t>("num_groups")), flat = {sizes_of(x)[1]};
    Normal n = normalized(reshape(x, shape), {2}, eps_of(v.inst.attrs));
    auto dims = all_but(rank_of(x), 1);
    Grads out(3);
    if (v.needs(0)) {
        V scaled = given(v, 1) ? g * per_channel(in(v, 1), x) : g;
        out[0] = v.to(0, reshape(normalized_slope(n, reshape(scaled, shape), {2}), sizes_of(x)));
    }
    if (given(v, 1) && v.needs(1)) out[1] = reshape(sum(g * reshape(n.value, sizes_of(x)), dims), flat);
    if (given(v, 2) && v.needs(2)) out[2] = reshape(sum(g, dims), flat);
    return out;
}

// cdist: pairwise differences of rows
V differences(V a, V b) { return unsqueeze(a, rank_of(a) - 1) - unsqueeze(b, rank_of(b) - 2); }
V cdist(Composite& c) {
    V d = differences(c.in(0), c.in(1));
    const std::vector<int64_t> last = {rank_of(d) - 1};
    const double p = c.attrs().get_or("p", 2.0);
    if (p == 0) return emit(d, "cast"_op, {sum(ne(d, 0), last, false)}, attrs({{"dtype", dtype_of(d)}}));
    if (p == 1) return sum(abs(d), last, false);
    if (p == 2) return sqrt(sum(d * d, last, false));
    if (std::isinf(p)) return sizes_of(d).back() == 0 ? sum(d, last, false) : reshape(amax(abs(d), last), c.result().sizes);
    return pow(sum(pow(abs(d), p), last, false), 1 / p);
}
/// The derivative of a row's distance by its differences; nothing where the distance is 0.
V cdist_slope(V d, V y, V g, double p) {
    const int64_t last = rank_of(d) - 1;
    if (p == 0) return zeros(d, sizes_of(d));
    if (p == 1) return sign(d) * unsqueeze(g, last);
    if (p == 2) return d * unsqueeze(where(eq(y, 0), 0.0, g / y), last);
    if (std::isinf(p)) return where(eq(abs(d), unsqueeze(y, last)), sign(d) * unsqueeze(g, last), 0.0);
    V scale = unsqueeze(where(eq(y, 0), 0.0, g / pow(y, p - 1)), last);
    return where(eq(d, 0), 0.0, sign(d) * pow(abs(d), p - 1) * scale);
}
Grads cdist_vjp(Vjp& v) {
    V d = differences(in(v, 0), in(v, 1)), g{&v.b, v.grad()}, y = out(v);
    int64_t last = rank_of(d) - 1;
    V slope = cdist_slope(d, y, g, v.inst.attrs.get_or("p", 2.0));
    Grads out(2);
    if (v.needs(0)) out[0] = v.to(0, sum(slope, {last - 1}, false));
    if (v.needs(1)) out[1] = v.to(1, -sum(slope, {last - 2}, false));
    return out;
}

}  // namespace

Rows normalization() {
    constexpr Lower C = Lower::Composite;
    return {
        {.name = "layer_norm", .sig = "(T self, int[] normalized_shape, T? weight=None, T? bias=None, float eps=1e-05) -> T", .lower = C,
         .infer = layer_norm_result, .saves = {save_in(0), save_in(1), save_in(2)}, .node = "NativeLayerNormBackward0",
         .vjp = layer_norm_vjp, .decompose = composite<layer_norm>, .run_time_sizes = true, .inplace = false, .method = false},
        // Batch statistics: the output, their mean and their biased variance, from which the prelude updates the running ones.
        {.name = "batch_norm_train", .sig = "(T self, T? weight, T? bias, T? running_mean, T? running_var, float eps=1e-05) -> (T output, T mean, T var)",
         .lower = C, .infer = batch_norm_train_result, .saves = {save_in(0), save_in(1), save_unread(3), save_unread(4)},
         .node = "NativeBatchNormBackward0", .vjp = batch_norm_train_vjp, .decompose = composite<batch_norm_train>, .inplace = false, .method = false, .function = false},
        {.name = "batch_norm_eval", .sig = "(T self, T? running_mean, T? running_var, T? weight, T? bias, float eps=1e-05) -> T",
         .lower = C, .infer = batch_norm_result, .saves = {save_in(0), save_in(1), save_in(2), save_in(3)},
         .node = "NativeBatchNormBackward0", .vjp = batch_norm_vjp, .decompose = composite<batch_norm>, .inplace = false, .method = false,
         .function = false},
        {.name = "group_norm", .sig = "(T self, int num_groups, T? weight=None, T? bias=None, float eps=1e-05) -> T", .lower = C,
         .infer = group_norm_result, .saves = {save_in(0), save_in(1)}, .node = "NativeGroupNormBackward0", .vjp = group_norm_vjp,
         .decompose = composite<group_norm>, .inplace = false, .method = false},
        {.name = "cdist", .sig = "(T x1, T x2, float p=2) -> T", .lower = C, .infer = cdist_result,
         .saves = {save_in(0), save_in(1), save_out(0)}, .node = "CdistBackward0", .vjp = cdist_vjp, .decompose = composite<cdist>,
         .inplace = false, .method = false},
    };
}

}  // namespace sifr::rows
