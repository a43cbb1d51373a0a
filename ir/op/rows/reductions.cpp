#include "ir/base/diagnostic.h"
#include "ir/op/rows/rows.h"
#include "ir/op/rules/reduction_rules.h"

// Reductions over axes, in the order of reduce_order.h, and scans along an axis.

namespace sifr::rows {
namespace {

using namespace rules;

/// Of a product: result/x where nothing is 0, the product of the others at a single 0, else 0.
Grads prod_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V x = cast(in(v, 0), dtype_of(out(v)));
    auto dims = dims_of(v);
    V g = keep_reduced(v, V{&v.b, v.grad()}), y = keep_reduced(v, out(v));
    V is_zero = eq(x, 0);
    V zero_count = sum(cast(is_zero, DType::I64), dims);
    V rest = where(is_zero, 1.0, x);
    for (size_t k = dims.size(); k-- > 0;) rest = emit(rest, "prod.dim"_op, {rest}, attrs({{"dim", dims[k]}, {"keepdim", true}}));
    V at_zero = where(logical_and(eq(zero_count, 1), is_zero), expand(g * rest, sizes_of(x)), 0.0);
    return {v.to(0, where(eq(zero_count, 0), g * y / x, at_zero))};
}

Grads aminmax_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V x = in(v, 0);
    std::optional<V> total;
    for (size_t k = 0; k < 2; ++k) {
        if (!v.has_grad(k)) continue;
        V y = keep_reduced(v, out(v, k)), g = keep_reduced(v, V{&v.b, v.grad(k)});
        V mask = cast(logical_or(eq(x, y), logical_and(isnan(x), isnan(y))), dtype_of(x));
        V part = (mask * g) / sum(mask, dims_of(v));
        total = total ? *total + part : part;
    }
    return {total ? total->id : ValueId()};
}

int64_t scan_dim(Vjp& v) { return normalize_dim(v.inst.attrs.get<int64_t>("dim"), v.type(v.in(0)).rank()); }
V reversed_cumsum(V g, int64_t dim) {
    return rank_of(g) == 0 ? g : flip(cumsum(flip(g, dim), dim), dim);
}

/// x_i's part of all later products. At the first 0 of a line the products are taken without it; behind it they are 0.
Grads cumprod_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V x = cast(in(v, 0), dtype_of(out(v))), g{&v.b, v.grad()}, y = out(v);
    if (rank_of(x) == 0) return {v.to(0, g)};
    int64_t dim = scan_dim(v);
    V is_zero = eq(x, 0);
    V zeros_so_far = cumsum(cast(is_zero, DType::I64), dim);
    V first = logical_and(is_zero, eq(zeros_so_far, 1));
    V without = where(first, 1.0, x);
    V products = emit(x, "cumprod"_op, {without}, attrs({{"dim", dim}}));
    V at_first = where(first, reversed_cumsum(g * products, dim), 0.0);
    return {v.to(0, where(eq(zeros_so_far, 0), reversed_cumsum(g * y, dim) / x, at_first))};
}

Grads cumextremum_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V x = in(v, 0), g{&v.b, v.grad(0)};
    if (rank_of(x) == 0) return {g};
    return {emit(g, "scatter_add"_op, {zeros_like(x), out(v, 1), g}, attrs({{"dim", scan_dim(v)}}))};
}

/// Both signs of the gradient apart, as logarithms: Σ_{j ≥ i} exp(log|g_j| - y_j + x_i).
Grads logcumsumexp_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V x = in(v, 0), g{&v.b, v.grad()}, y = out(v);
    if (rank_of(x) == 0) return {g};
    int64_t dim = scan_dim(v);
    auto part = [&](V from) {
        V logs = log(where(gt(from, 0), from, 0.0)) - y;
        V sums = flip(emit(x, "logcumsumexp"_op, {flip(logs, dim)}, attrs({{"dim", dim}})), dim);
        return exp(sums + x);
    };
    return {(part(g) - part(-g)).id};
}
std::vector<Type> logcumsumexp_result(const OpCall& call) {
    if (is_integral(call.types[0].dtype, true)) raise("NotImplementedError", "\"logcumsumexp_out_cpu\" not implemented for '{}'", scalar_name(call.types[0].dtype));
    return scan_result(call);
}

}  // namespace

Rows reductions() {
    constexpr Lower R = Lower::Reduction, S = Lower::Scan;
    return {
        {.name = "sum", .sig = "(T self, *, dtype? dtype=None) -> T", .lower = R, .infer = sum_result, .node = "SumBackward0",
         .vjp = sum_vjp, .reduction = "sum", .run_time_sizes = true, .inplace = false},
        {.name = "sum.dim", .sig = "(T self, any? dim, bool keepdim=False, *, dtype? dtype=None) -> T", .lower = R, .infer = sum_result,
         .node = "SumBackward1", .vjp = sum_vjp, .reduction = "sum", .run_time_sizes = true, .inplace = false},
        {.name = "prod", .sig = "(T self, *, dtype? dtype=None) -> T", .lower = R, .infer = sum_result, .saves = {save_in(0), save_out(0)},
         .node = "ProdBackward0", .vjp = prod_vjp, .reduction = "prod", .run_time_sizes = true, .inplace = false},
        {.name = "prod.dim", .sig = "(T self, int dim, bool keepdim=False, *, dtype? dtype=None) -> T", .lower = R, .infer = sum_result,
         .saves = {save_in(0), save_out(0)}, .node = "ProdBackward1", .vjp = prod_vjp, .reduction = "prod", .run_time_sizes = true, .inplace = false},

        {.name = "amax", .sig = "(T self, any? dim=None, bool keepdim=False) -> T", .lower = R, .infer = extremum_result,
         .saves = {save_in(0), save_out(0)}, .node = "AmaxBackward0", .vjp = extremum_vjp, .reduction = "max", .run_time_sizes = true, .inplace = false},
        {.name = "amin", .sig = "(T self, any? dim=None, bool keepdim=False) -> T", .lower = R, .infer = extremum_result,
         .saves = {save_in(0), save_out(0)}, .node = "AminBackward0", .vjp = extremum_vjp, .reduction = "min", .run_time_sizes = true, .inplace = false},
        {.name = "max", .sig = "(T self) -> T", .lower = R, .infer = extremum_result, .saves = {save_in(0), save_out(0)},
         .node = "MaxBackward1", .vjp = extremum_vjp, .reduction = "max", .run_time_sizes = true, .inplace = false},
        {.name = "max.dim", .sig = "(T self, int dim, bool keepdim=False) -> (T values, T indices)", .lower = R,
         .infer = extremum_dim_result, .saves = {save_out(1)}, .node = "MaxBackward0", .vjp = picked_vjp, .reduction = "max",
         .run_time_sizes = true, .inplace = false},
        {.name = "max.other", .sig = "(T self, T other) -> T", .lower = Lower::Composite,
         .infer = [](const OpCall& c) { return infer_types(OpCall{"maximum"_op, c.types, c.constants, c.layouts, c.attrs, c.default_dtype}); },
         .layout = LayoutRule::Elementwise, .saves = {save_in(0), save_in(1)}, .node = "MaximumBackward0",
         .vjp = [](Vjp& v) { return def("maximum"_op).vjp(v); },
         .decompose = composite<[](Composite& c) { return apply("maximum"_op, c.in(0), c.in(1)); }>, .inplace = false},
        {.name = "min", .sig = "(T self) -> T", .lower = R, .infer = extremum_result, .saves = {save_in(0), save_out(0)},
         .node = "MinBackward1", .vjp = extremum_vjp, .reduction = "min", .run_time_sizes = true, .inplace = false},
        {.name = "min.dim", .sig = "(T self, int dim, bool keepdim=False) -> (T values, T indices)", .lower = R,
         .infer = extremum_dim_result, .saves = {save_out(1)}, .node = "MinBackward0", .vjp = picked_vjp, .reduction = "min",
         .run_time_sizes = true, .inplace = false},
        {.name = "min.other", .sig = "(T self, T other) -> T", .lower = Lower::Composite,
         .infer = [](const OpCall& c) { return infer_types(OpCall{"minimum"_op, c.types, c.constants, c.layouts, c.attrs, c.default_dtype}); },
         .layout = LayoutRule::Elementwise, .saves = {save_in(0), save_in(1)}, .node = "MinimumBackward0",
         .vjp = [](Vjp& v) { return def("minimum"_op).vjp(v); },
         .decompose = composite<[](Composite& c) { return apply("minimum"_op, c.in(0), c.in(1)); }>, .inplace = false},
        {.name = "argmax", .sig = "(T self, int? dim=None, bool keepdim=False) -> T", .lower = R, .infer = arg_result,
         .reduction = "argmax", .run_time_sizes = true, .inplace = false},
        {.name = "argmin", .sig = "(T self, int? dim=None, bool keepdim=False) -> T", .lower = R, .infer = arg_result,
         .reduction = "argmin", .run_time_sizes = true, .inplace = false},
        {.name = "aminmax", .sig = "(T self, *, int? dim=None, bool keepdim=False) -> (T min, T max)", .lower = Lower::Composite,
         .infer = aminmax_result, .saves = {save_in(0), save_out(0), save_out(1)}, .node = "AminmaxBackward0", .vjp = aminmax_vjp,
         .decompose = composite<[](Composite& c) -> std::vector<ValueId> {
             Attrs a = c.attrs();
             return {emit(c.in(0), "amin"_op, {c.in(0)}, a), emit(c.in(0), "amax"_op, {c.in(0)}, a)};
         }>,
         .inplace = false},
        {.name = "any", .sig = "(T self) -> T", .lower = R, .infer = logical_result, .reduction = "any", .run_time_sizes = true, .inplace = false},
        {.name = "any.dim", .sig = "(T self, any? dim, bool keepdim=False) -> T", .lower = R, .infer = logical_result, .reduction = "any",
         .run_time_sizes = true, .inplace = false},
        {.name = "all", .sig = "(T self) -> T", .lower = R, .infer = logical_result, .reduction = "all", .run_time_sizes = true, .inplace = false},
        {.name = "all.dim", .sig = "(T self, any? dim, bool keepdim=False) -> T", .lower = R, .infer = logical_result, .reduction = "all",
         .run_time_sizes = true, .inplace = false},

        {.name = "cumsum", .sig = "(T self, int dim, *, dtype? dtype=None) -> T", .lower = S, .infer = scan_result,
         .node = "CumsumBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return reversed_cumsum(g, rank_of(g) == 0 ? 0 : scan_dim(v)); }>, .reduction = "sum", .run_time_sizes = true},
        {.name = "cumprod", .sig = "(T self, int dim, *, dtype? dtype=None) -> T", .lower = S, .infer = scan_result,
         .saves = {save_in(0), save_out(0)}, .node = "CumprodBackward0", .vjp = cumprod_vjp, .reduction = "prod", .run_time_sizes = true},
        {.name = "logcumsumexp", .sig = "(T self, int dim) -> T", .lower = Lower::Library, .infer = logcumsumexp_result,
         .saves = {save_in(0), save_out(0)}, .node = "LogcumsumexpBackward0", .vjp = logcumsumexp_vjp, .runtime = "sifr_logcumsumexp",
         .inplace = false},
        {.name = "cummax", .sig = "(T self, int dim) -> (T values, T indices)", .lower = S, .infer = scan_extremum_result,
         .saves = {save_in(0), save_out(1)}, .node = "CummaxBackward0", .vjp = cumextremum_vjp, .reduction = "max", .run_time_sizes = true, .inplace = false},
        {.name = "cummin", .sig = "(T self, int dim) -> (T values, T indices)", .lower = S, .infer = scan_extremum_result,
         .saves = {save_in(0), save_out(1)}, .node = "CumminBackward0", .vjp = cumextremum_vjp, .reduction = "min", .run_time_sizes = true, .inplace = false},
    };
}

}  // namespace sifr::rows
