#include <cmath>
#include <algorithm>
#include <limits>
#include <optional>

#include "ir/base/diagnostic.h"
#include "ir/op/rows/rows.h"
#include "ir/op/rules/reduction_rules.h"

// Means, variances, norms, softmax and order statistics: composites over reductions and pointwise rows.

namespace sifr::rows {
namespace {

using namespace rules;

std::vector<int64_t> dims_of(Composite& c) { return reduced_dims(InstCall(c.b.function(), c.inst)); }
/// A kept-axes value in the result's own sizes.
V shaped(Composite& c, V kept, size_t result = 0) { return reshape(kept, c.result(result).sizes); }
int64_t softmax_dim(const Attrs& a, int64_t rank) { return normalize_dim(a.get<int64_t>("dim"), rank); }

V mean_kept(V x, const std::vector<int64_t>& dims) {
    auto n = static_cast<double>(reduced_count(x.type(), dims));
    return sum(x, dims) / n;
}
Grads mean_vjp(Vjp& v) {
    return {grad_of(v, 0, [&] {
        V g = expand_reduced(v, V{&v.b, v.grad()});
        return g / static_cast<double>(reduced_count(v.type(v.in(0)), rules::dims_of(v)));
    })};
}

double degrees(const Type& t, const std::vector<int64_t>& dims, const Attrs& a) {
    return std::max(static_cast<double>(reduced_count(t, dims)) - correction_of(a), 0.0);
}
V var_kept(V x, const std::vector<int64_t>& dims, const Attrs& a) {
    V d = x - mean_kept(x, dims);
    double n = degrees(x.type(), dims, a);
    return sum(d * d, dims) / n;
}
V var_gradient(Vjp& v, V g) {
    auto dims = rules::dims_of(v);
    V x = in(v, 0);
    double n = degrees(x.type(), dims, v.inst.attrs);
    return (2.0 / n) * keep_reduced(v, g) * (x - mean_kept(x, dims));
}
V std_gradient(Vjp& v, V g) {
    V y = out(v);
    return var_gradient(v, where(eq(y, 0), 0.0, g / (y * 2.0)));
}
V mean_gradient(Vjp& v, V g) {
    return expand_reduced(v, g) / static_cast<double>(reduced_count(v.type(v.in(0)), rules::dims_of(v)));
}
template <bool is_std>
Grads moments_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    std::optional<V> total;
    if (v.has_grad(0)) {
        V g{&v.b, v.grad(0)};
        total = is_std ? std_gradient(v, g) : var_gradient(v, g);
    }
    if (v.has_grad(1)) {
        V m = mean_gradient(v, V{&v.b, v.grad(1)});
        total = total ? *total + m : m;
    }
    return {total ? total->id : ValueId()};
}

/// The exponent of a norm: 2 for None and 'fro'.
double order_of(const Attrs& a) {
    const AttrValue* v = a.find(a.has("ord") ? "ord" : "p");
    if (!v) return 2;
    if (auto* i = std::get_if<int64_t>(v)) return static_cast<double>(*i);
    if (auto* d = std::get_if<double>(v)) return *d;
    if (auto* s = std::get_if<std::string>(v); s && *s != "fro") throw NotSupported(fmt::format("norm(p='{}')", *s));
    return 2;
}
V norm(Composite& c) {
    V x = cast(c.in(0), c.result().dtype);
    auto dims = dims_of(c);
    double p = order_of(c.attrs());
    V kept = x;
    if (p == 2) kept = sqrt(sum(x * x, dims));
    else if (p == 1) kept = sum(abs(x), dims);
    else if (p == 0) kept = sum(cast(ne(x, 0), dtype_of(x)), dims);
    else if (p == std::numeric_limits<double>::infinity()) kept = amax(abs(x), dims);
    else if (p == -std::numeric_limits<double>::infinity()) kept = dims.empty() ? abs(x) : reduce("amin"_op, abs(x), dims, true);
    else kept = pow(sum(pow(abs(x), p), dims), 1.0 / p);
    return shaped(c, kept);
}
Grads norm_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V x = in(v, 0), g = keep_reduced(v, V{&v.b, v.grad()}), y = keep_reduced(v, out(v));
    double p = order_of(v.inst.attrs);
    if (p == 0) return {zeros_like(x)};
    if (p == 1) return {v.to(0, sign(x) * g)};
    if (p == 2) return {v.to(0, g * where(eq(y, 0), 0.0, x / y))};
    if (std::isinf(p)) {
        V a = abs(x);
        V mask = cast(logical_or(eq(a, y), logical_and(isnan(a), isnan(y))), dtype_of(x));
        return {v.to(0, sign(x) * (g / sum(mask, rules::dims_of(v))) * mask)};
    }
    V scale = where(eq(y, 0), 0.0, g / pow(y, p - 1));
    V part = p < 1 ? where(eq(x, 0), 0.0, sign(x) * pow(abs(x), p - 1)) : sign(x) * pow(abs(x), p - 1);
    return {v.to(0, part * scale)};
}

struct Softmax {
    V shifted, exps, total;
};
Softmax softmax_parts(Composite& c) {
    V x = cast(c.in(0), c.result().dtype);
    std::vector<int64_t> dims;
    if (rank_of(x) > 0) dims = {softmax_dim(c.attrs(), rank_of(x))};
    V shifted = x - amax(x, dims);
    V exps = exp(shifted);
    return {shifted, exps, sum(exps, dims)};
}
bool is_empty(Composite& c) { return c.result().numel() == 0; }
std::vector<int64_t> softmax_dims(Vjp& v) {
    int64_t rank = v.type(v.in(0)).rank();
    return rank == 0 ? std::vector<int64_t>{} : std::vector<int64_t>{softmax_dim(v.inst.attrs, rank)};
}

V logsumexp(Composite& c) {
    V x = cast(c.in(0), c.result().dtype);
    auto dims = dims_of(c);
    if (reduced_count(x.type(), dims) == 0) return full_of(c.b, c.result().dtype, c.result().sizes, -std::numeric_limits<double>::infinity());
    V top = amax(x, dims);
    V finite = where(eq(abs(top), std::numeric_limits<double>::infinity()), 0.0, top);
    return shaped(c, log(sum(exp(x - finite), dims)) + finite);
}

Grads distribute_all(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V x = in(v, 0), y = out(v), g{&v.b, v.grad()};
    V mask = cast(logical_or(eq(x, y), logical_and(isnan(x), isnan(y))), dtype_of(x));
    return {v.to(0, mask * (g / sum_all(mask)))};
}

}  // namespace

Rows statistics() {
    constexpr Lower C = Lower::Composite, L = Lower::Library;
    const char* of_var = "(T self, any? dim=None, bool unbiased=True, bool keepdim=False, *, float? correction=None) -> T";
    const char* of_var_mean = "(T self, any? dim=None, bool unbiased=True, bool keepdim=False, *, float? correction=None) -> (T, T)";
    return {
        {.name = "mean", .sig = "(T self, *, dtype? dtype=None) -> T", .lower = C, .infer = mean_result, .node = "MeanBackward0",
         .vjp = mean_vjp,
         .decompose = composite<[](Composite& c) { return shaped(c, mean_kept(cast(c.in(0), c.result().dtype), dims_of(c))); }>,
         .run_time_sizes = true, .inplace = false},
        {.name = "mean.dim", .sig = "(T self, any? dim, bool keepdim=False, *, dtype? dtype=None) -> T", .lower = C, .infer = mean_result,
         .node = "MeanBackward1", .vjp = mean_vjp,
         .decompose = composite<[](Composite& c) { return shaped(c, mean_kept(cast(c.in(0), c.result().dtype), dims_of(c))); }>,
         .run_time_sizes = true, .inplace = false},
        {.name = "var", .sig = of_var, .lower = C, .infer = var_result, .saves = {save_in(0)}, .node = "VarBackward0",
         .vjp = gradients<var_gradient>,
         .decompose = composite<[](Composite& c) { return shaped(c, var_kept(c.in(0), dims_of(c), c.attrs())); }>, .run_time_sizes = true, .inplace = false},
        {.name = "std", .sig = of_var, .lower = C, .infer = var_result, .saves = {save_in(0), save_out(0)}, .node = "StdBackward0",
         .vjp = gradients<std_gradient>,
         .decompose = composite<[](Composite& c) { return shaped(c, sqrt(var_kept(c.in(0), dims_of(c), c.attrs()))); }>, .run_time_sizes = true, .inplace = false},
        {.name = "var_mean", .sig = of_var_mean, .lower = C, .infer = var_mean_result, .saves = {save_in(0)}, .node = "VarMeanBackward0",
         .vjp = moments_vjp<false>,
         .decompose = composite<[](Composite& c) -> std::vector<ValueId> {
             return {shaped(c, var_kept(c.in(0), dims_of(c), c.attrs())), shaped(c, mean_kept(c.in(0), dims_of(c)), 1)};
         }>,
         .inplace = false, .method = false},
        {.name = "std_mean", .sig = of_var_mean, .lower = C, .infer = var_mean_result, .saves = {save_in(0), save_out(0)},
         .node = "StdMeanBackward0", .vjp = moments_vjp<true>,
         .decompose = composite<[](Composite& c) -> std::vector<ValueId> {
             return {shaped(c, sqrt(var_kept(c.in(0), dims_of(c), c.attrs()))), shaped(c, mean_kept(c.in(0), dims_of(c)), 1)};
         }>,
         .inplace = false, .method = false},
        {.name = "norm", .sig = "(T self, any? p='fro', any? dim=None, bool keepdim=False, *, dtype? dtype=None) -> T", .lower = C,
         .infer = norm_result, .saves = {save_in(0), save_out(0)}, .node = "LinalgVectorNormBackward0", .vjp = norm_vjp,
         .decompose = composite<norm>, .run_time_sizes = true, .inplace = false},
        {.name = "linalg_vector_norm", .sig = "(T self, any? ord=2, any? dim=None, bool keepdim=False, *, dtype? dtype=None) -> T",
         .lower = C, .infer = norm_result, .saves = {save_in(0), save_out(0)}, .node = "LinalgVectorNormBackward0", .vjp = norm_vjp,
         .decompose = composite<norm>, .run_time_sizes = true, .inplace = false, .method = false, .function = false},

        {.name = "softmax", .sig = "(T self, int dim, dtype? dtype=None) -> T", .lower = C, .infer = softmax_result,
         .layout = LayoutRule::Like, .saves = {save_out(0)}, .node = "SoftmaxBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return (g - sum(g * out(v), softmax_dims(v))) * out(v); }>,
         .decompose = composite<[](Composite& c) {
             if (is_empty(c)) return cast(c.in(0), c.result().dtype);
             Softmax s = softmax_parts(c);
             return s.exps / s.total;
         }>,
         .run_time_sizes = true, .inplace = false},
        {.name = "log_softmax", .sig = "(T self, int dim, dtype? dtype=None) -> T", .lower = C, .infer = softmax_result,
         .layout = LayoutRule::Like, .saves = {save_out(0)}, .node = "LogSoftmaxBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g - exp(out(v)) * sum(g, softmax_dims(v)); }>,
         .decompose = composite<[](Composite& c) {
             if (is_empty(c)) return cast(c.in(0), c.result().dtype);
             Softmax s = softmax_parts(c);
             return s.shifted - log(s.total);
         }>,
         .run_time_sizes = true, .inplace = false},
        {.name = "logsumexp", .sig = "(T self, any dim, bool keepdim=False) -> T", .lower = C, .infer = logsumexp_result,
         .saves = {save_in(0), save_out(0)}, .node = "LogsumexpBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return keep_reduced(v, g) * exp(in(v, 0) - keep_reduced(v, out(v))); }>,
         .decompose = composite<logsumexp>, .run_time_sizes = true, .inplace = false},
        {.name = "nansum", .sig = "(T self, any? dim=None, bool keepdim=False, *, dtype? dtype=None) -> T", .lower = C,
         .infer = sum_result, .saves = {save_in(0)}, .node = "NansumBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return where(isnan(in(v, 0)), 0.0, expand_reduced(v, g)); }>,
         .decompose = composite<[](Composite& c) {
             V x = where(isnan(c.in(0)), 0.0, c.in(0));
             return shaped(c, sum(cast(x, c.result().dtype), dims_of(c)));
         }>,
         .inplace = false},
        {.name = "count_nonzero", .sig = "(T self, any? dim=None) -> T", .lower = C, .infer = count_result,
         .decompose = composite<[](Composite& c) { return shaped(c, sum(cast(ne(c.in(0), 0), DType::I64), dims_of(c))); }>,
         .inplace = false},
        {.name = "trace", .sig = "(T self) -> T", .lower = C, .infer = trace_result, .node = "TraceBackward0",
         .vjp = gradients<[](Vjp& v, V g) {
             Sizes s = v.type(v.in(0)).sizes;
             int64_t n = std::min(s[0], s[1]);
             return insert(zeros(g, s), Layout{0, {n}, {s[1] + 1}, {}}, expand(reshape(g, {1}), {n}));
         }>,
         .decompose = composite<[](Composite& c) {
             Sizes s = sizes_of(c.in(0));
             V d = extract(c.in(0), Layout{0, {std::min(s[0], s[1])}, {s[1] + 1}, {}});
             return sum_all(cast(d, c.result().dtype));
         }>,
         .inplace = false},

        {.name = "median", .sig = "(T self) -> T", .lower = C, .infer = median_result, .saves = {save_in(0), save_out(0)},
         .node = "MedianBackward0", .vjp = distribute_all,
         .decompose = composite<[](Composite& c) {
             V x = c.in(0);
             if (x.type().numel() == 0) return full_of(c.b, dtype_of(x), {}, std::numeric_limits<double>::quiet_NaN());
             V flat = reshape(x, {x.type().numel()});
             return V{&c.b, c.b.emit_all("median.dim"_op, {flat}, attrs({{"dim", int64_t{0}}, {"keepdim", false}}))[0]};
         }>,
         .inplace = false},
        {.name = "median.dim", .sig = "(T self, int dim, bool keepdim=False) -> (T values, T indices)", .lower = L,
         .infer = selection_result, .saves = {save_out(1)}, .node = "MedianBackward1", .vjp = picked_vjp, .runtime = "sifr_median",
         .inplace = false},
        {.name = "mode", .sig = "(T self, int dim=-1, bool keepdim=False) -> (T values, T indices)", .lower = L,
         .infer = selection_result, .saves = {save_out(1)}, .node = "ModeBackward0", .vjp = picked_vjp, .runtime = "sifr_mode",
         .inplace = false},
        {.name = "kthvalue", .sig = "(T self, int k, int dim=-1, bool keepdim=False) -> (T values, T indices)", .lower = L,
         .infer = selection_result, .saves = {save_out(1)}, .node = "KthvalueBackward0", .vjp = picked_vjp, .runtime = "sifr_kthvalue",
         .inplace = false},
    };
}

}  // namespace sifr::rows
