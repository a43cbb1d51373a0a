#include <limits>

#include "ir/base/diagnostic.h"
#include "ir/op/rows/rows.h"
#include "ir/op/rules/gradient.h"
#include "ir/op/rules/reduction_rules.h"
#include "ir/op/rules/shape_rules.h"

// Reads and writes at run-time indices, masks that pick elements, and order.

namespace sifr::rows {
namespace {

using namespace rules;

constexpr const char* out_of_bounds = "RuntimeError: index {} is out of bounds for dimension {} with size {}";
constexpr const char* out_of_bounds_index = "IndexError: index {} is out of bounds for dimension {} with size {}";
constexpr const char* out_of_range = "IndexError: index out of range in self";

int64_t dim_attr(const Attrs& a, int64_t rank) { return rank == 0 ? 0 : normalize_dim(a.get_or<int64_t>("dim", -1), rank); }
Attrs same_dim(const Inst& inst) { return attrs({{"dim", inst.attrs.get<int64_t>("dim")}}); }

/// The gradient of a scattered `src`: what the index reads, and 0 where `src` is larger than the index.
V gather(Vjp& v, V g) {
    V picked = emit(g, "gather"_op, {g, v.in(1)}, same_dim(v.inst));
    Sizes own = v.type(v.in(2)).sizes;
    if (sizes_of(picked) == own) return picked;
    Layout corner = Layout::contiguous(own);
    corner.sizes = sizes_of(picked);
    return insert(zeros(g, own), corner, picked);
}
V scatter_zero(Vjp& v, V g) {
    V zero = zeros(g, v.type(v.in(1)).sizes);
    return emit(g, "scatter"_op, {g, v.in(1), zero}, same_dim(v.inst));
}

/// `self` with `value` at `index` along `dim`: an index_put with the axes before it left out.
V put_along(V self, ValueId index, V value, int64_t dim, bool accumulate) {
    std::vector<ValueId> operands{self};
    for (int64_t d = 0; d < dim; ++d) operands.push_back(self.b->constant(ScalarConstant{}));
    operands.push_back(index);
    operands.push_back(value);
    return emit(self, "index_put"_op, operands, attrs({{"accumulate", accumulate}}));
}
V zero_along(Vjp& v, V g) {
    V zero = full_of(v.b, dtype_of(g), {}, 0.0);
    return put_along(g, v.in(1), zero, dim_attr(v.inst.attrs, rank_of(g)), false);
}
V select_along(Vjp& v, V g) { return emit(g, "index_select"_op, {g, v.in(1)}, same_dim(v.inst)); }

std::vector<ValueId> between(const Inst& inst, size_t first, size_t last) {
    return {inst.operands.begin() + static_cast<ptrdiff_t>(first), inst.operands.begin() + static_cast<ptrdiff_t>(last)};
}
V index_of(V x, const std::vector<ValueId>& indices) {
    std::vector<ValueId> operands{x};
    operands.insert(operands.end(), indices.begin(), indices.end());
    return emit(x, "index"_op, operands);
}
V index_put_of(V x, const std::vector<ValueId>& indices, V values, bool accumulate) {
    std::vector<ValueId> operands{x};
    operands.insert(operands.end(), indices.begin(), indices.end());
    operands.push_back(values);
    return emit(x, "index_put"_op, operands, attrs({{"accumulate", accumulate}}));
}
Grads index_vjp(Vjp& v) {
    Grads out(v.inst.operands.size());
    if (!v.needs(0)) return out;
    V g{&v.b, v.grad()};
    out[0] = index_put_of(zeros_like(in(v, 0)), between(v.inst, 1, v.inst.operands.size()), g, true);
    return out;
}
Grads index_put_vjp(Vjp& v) {
    V g{&v.b, v.grad()};
    size_t n = v.inst.operands.size();
    auto indices = between(v.inst, 1, n - 1);
    Grads out(n);
    bool accumulate = v.inst.attrs.get_or("accumulate", false);
    if (v.needs(0)) out[0] = accumulate ? g : index_put_of(g, indices, full_of(v.b, dtype_of(g), {}, 0.0), false);
    if (v.needs(n - 1)) out[n - 1] = v.to(n - 1, index_of(g, indices));
    return out;
}
std::vector<Save> index_saves() {
    std::vector<Save> saves;
    for (uint8_t k = 1; k < 8; ++k) saves.push_back(save_in(k));
    return saves;
}

/// PyTorch takes three names twice.
std::string reduce_name(const Attrs& a) {
    const auto& how = a.get<std::string>("reduce");
    return how == "max" ? "amax" : how == "min" ? "amin" : how == "add" ? "sum" : how == "multiply" ? "prod" : how;
}
std::vector<Type> scatter_reduce_result(const OpCall& call) {
    std::string how = reduce_name(call.attrs);
    if (how != "sum" && how != "prod" && how != "mean" && how != "amax" && how != "amin")
        raise("RuntimeError", "reduce argument must be either sum, prod, mean, amax or amin, got {}", how);
    return scatter_result(call);
}
std::vector<Type> scatter_with_result(const OpCall& call) {
    const auto& how = call.attrs.get<std::string>("reduce");
    if (how != "add" && how != "multiply") raise("RuntimeError", "reduce argument must be either add or multiply.");
    return scatter_result(call);
}
/// `self` combined at the places of the index with `src`.
V combined(V self, ValueId index, V src, const std::string& how, const Attrs& a) {
    return emit(self, "scatter_combine"_op, {self, index, src}, attrs({{"dim", a.get<int64_t>("dim")}, {"reduce", how}}));
}
/// What changes nothing when it is combined with.
V neutral(Builder& b, DType t, const Sizes& sizes, const std::string& how) {
    if (how == "sum" || how == "mean") return full_of(b, t, sizes, 0);
    if (how == "prod") return full_of(b, t, sizes, 1);
    bool low = how == "amax";
    if (is_float(t)) return full_of(b, t, sizes, low ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity());
    if (t == DType::Bool) return full_of(b, t, sizes, low ? 0 : 1);
    int64_t bits = size_of(t) * 8, most = t == DType::U8 ? 255 : static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
    return {&b, b.full(t, sizes, b.constant_int(low ? (t == DType::U8 ? 0 : -most - 1) : most))};
}
/// How many elements meet in each place, at least 1.
V met(V self, ValueId index, bool with_self, const Attrs& a) {
    V one = full_of(*self.b, dtype_of(self), self.b->function().type(index).sizes, 1);
    V start = with_self ? full_of(*self.b, dtype_of(self), sizes_of(self), 1) : zeros_like(self);
    V count = emit(self, "scatter_add"_op, {start, index, one}, attrs({{"dim", a.get<int64_t>("dim")}}));
    return emit(count, "clamp_min"_op, {count, number(count, 1)});
}
V scatter_reduced(Composite& c) {
    std::string how = reduce_name(c.attrs());
    bool with_self = c.attrs().get_or("include_self", true);
    V self = c.in(0), src = c.in(2);
    ValueId index = c.inst.operands[1];
    V start = self;
    if (!with_self)
        start = emit(self, "scatter"_op, {self, index, neutral(c.b, dtype_of(self), sizes_of(c.in(1)), how)}, same_dim(c.inst));
    V result = combined(start, index, src, how == "mean" ? "sum" : how, c.attrs());
    if (how != "mean") return result;
    V count = met(self, index, with_self, c.attrs());
    if (is_float(dtype_of(self))) return result / count;
    return emit(self, "floor_divide"_op, {result, count});
}

Grads scatter_reduce_vjp(Vjp& v) {
    V g{&v.b, v.grad()};
    std::string how = reduce_name(v.inst.attrs);
    bool with_self = v.inst.attrs.get_or("include_self", true);
    Grads out(3);
    V x = in(v, 0), src = in(v, 2), y = rules::out(v);
    ValueId index = v.in(1);
    auto of_self = [&](V part) {
        if (v.needs(0)) out[0] = with_self ? part : scatter_zero(v, part);
    };
    if (how == "sum") {
        of_self(g);
        if (v.needs(2)) out[2] = v.to(2, gather(v, g));
        return out;
    }
    if (how == "mean") {
        V share = g / met(x, index, with_self, v.inst.attrs);
        of_self(share);
        if (v.needs(2)) out[2] = v.to(2, gather(v, share));
        return out;
    }
    if (sizes_of(src) != v.type(index).sizes) throw NotSupported("the gradient of scatter_reduce with a source larger than the index");
    V picked = gather(v, y);
    if (how == "prod") {
        // Where an element is 0, the product of the others; of two zeros in one place, none has a gradient.
        auto product_with = [&](V self, V from) {
            return emit(x, "scatter_reduce"_op, {self, index, from}, attrs({{"dim", v.inst.attrs.get<int64_t>("dim")}, {"reduce", how}, {"include_self", with_self}}));
        };
        V self_filled = where(eq(x, 0), 1.0, x);
        of_self(g * product_with(self_filled, src) / self_filled);
        if (!v.needs(2)) return out;
        V zero = eq(src, 0);
        V zeros_met = gather(v, emit(x, "scatter_add"_op, {zeros_like(x), index, cast(zero, dtype_of(x))}, same_dim(v.inst)));
        V single = logical_and(zero, eq(zeros_met, 1));
        V others = gather(v, g * product_with(x, where(single, 1.0, src)));
        out[2] = v.to(2, where(single, others, gather(v, g * y) / where(zero, 1.0, src)));
        return out;
    }
    V self_hit = cast(eq(x, y), dtype_of(x));
    if (!with_self) self_hit = scatter_zero(v, self_hit);
    V src_hit = cast(eq(src, picked), dtype_of(x));
    V count = emit(self_hit, "scatter_add"_op, {self_hit, index, src_hit}, same_dim(v.inst));
    V share = g / count;
    if (v.needs(0)) out[0] = self_hit * share;
    if (v.needs(2)) out[2] = v.to(2, gather(v, share) * src_hit);
    return out;
}

/// For each element, how many chosen ones stand in front of it (row-major).
V positions_of(V mask) {
    int64_t n = mask.type().numel();
    V count = cumsum(reshape(cast(mask, DType::I64), {n}), 0);
    return emit(count, "clamp_min"_op, {count - 1, mask.b->constant_int(0)});
}
Grads masked_select_vjp(Vjp& v) {
    if (!v.needs(0)) return Grads(2);
    V x = in(v, 0), g{&v.b, v.grad(1)};
    Sizes sizes = broadcast(sizes_of(x), v.type(v.in(1)).sizes);
    if (element_count(sizes) == 0) return {zeros_like(x), ValueId()};
    V mask = expand(in(v, 1), sizes);
    V spread = reshape(emit(g, "index_select"_op, {g, positions_of(mask)}, attrs({{"dim", int64_t{0}}})), sizes);
    return {v.to(0, where(mask, spread, 0.0)), ValueId()};
}
V masked_scatter(Composite& c) {
    Sizes sizes = c.result().sizes;
    V mask = expand(c.in(1), sizes), source = c.in(2);
    if (c.result().numel() == 0) return expand(c.in(0), sizes);
    V flat = reshape(source, {source.type().numel()});
    V picked = emit(flat, "index_select"_op, {flat, positions_of(mask)},
                    attrs({{"dim", int64_t{0}}, {"error", std::string("RuntimeError: Number of elements of source < number of ones in mask")}}));
    return where(mask, reshape(picked, sizes), expand(c.in(0), sizes));
}
Grads masked_scatter_vjp(Vjp& v) {
    V g{&v.b, v.grad()}, mask = expand(in(v, 1), sizes_of(g));
    Grads out(3);
    if (v.needs(0)) out[0] = v.to(0, where(mask, 0.0, g));
    if (v.needs(2)) {
        Sizes own = v.type(v.in(2)).sizes;
        V flat = reshape(where(mask, g, 0.0), {g.type().numel()});
        V sum = emit(g, "index_add"_op, {zeros(g, {element_count(own)}), positions_of(mask), flat}, attrs({{"dim", int64_t{0}}}));
        out[2] = v.to(2, reshape(sum, own));
    }
    return out;
}

V embedding(Composite& c) {
    V weight = c.in(0), indices = c.in(1);
    V flat = reshape(indices, {indices.type().numel()});
    V rows = emit(weight, "index_select"_op, {weight, flat}, attrs({{"dim", int64_t{0}}}));
    return reshape(rows, c.result().sizes);
}
Grads embedding_vjp(Vjp& v) {
    if (!v.needs(0)) return Grads(2);
    V g{&v.b, v.grad()}, indices = in(v, 1);
    Sizes own = v.type(v.in(0)).sizes;
    int64_t n = indices.type().numel();
    V rows = reshape(g, {n, own[1]});
    V flat = reshape(indices, {n});
    int64_t padding = v.inst.attrs.get_or<int64_t>("padding_idx", -1);
    if (padding >= 0) rows = where(eq(reshape(flat, {n, 1}), static_cast<double>(padding)), 0.0, rows);
    return {emit(g, "index_add"_op, {zeros(g, own), flat, rows}, attrs({{"dim", int64_t{0}}})), ValueId()};
}

Grads sorted_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V g{&v.b, v.grad(0)}, x = in(v, 0);
    if (rank_of(x) == 0) return {g};
    return {emit(g, "scatter"_op, {zeros_like(x), out(v, 1), g}, attrs({{"dim", dim_attr(v.inst.attrs, rank_of(x))}}))};
}

}  // namespace

Rows indexing() {
    constexpr Lower G = Lower::Gather, S = Lower::Scatter, C = Lower::Composite, L = Lower::Library;
    constexpr Effect K = Effect::Check;
    return {
        {.name = "gather", .sig = "(T self, int dim, T index, *, string? error=None) -> T", .lower = G, .effect = K,
         .infer = gather_result, .saves = {save_in(0), save_in(1)}, .node = "GatherBackward0",
         .vjp = [](Vjp& v) -> Grads {
             if (!v.needs(0)) return Grads(2);
             return {emit(in(v, 0), "scatter_add"_op, {zeros_like(in(v, 0)), v.in(1), v.grad()}, same_dim(v.inst)), ValueId()};
         },
         .index_error = out_of_bounds, .run_time_sizes = true, .inplace = false},
        {.name = "index_select", .sig = "(T self, int dim, T index, *, string? error=None) -> T", .lower = G, .effect = K,
         .infer = index_select_result, .saves = {save_in(1)}, .node = "IndexSelectBackward0",
         .vjp = [](Vjp& v) -> Grads {
             if (!v.needs(0)) return Grads(2);
             return {emit(in(v, 0), "index_add"_op, {zeros_like(in(v, 0)), v.in(1), v.grad()}, same_dim(v.inst)), ValueId()};
         },
         .index_error = out_of_range, .run_time_sizes = true, .inplace = false},
        // Index tensors stand at their axes; None keeps one. Masks are `masked_select` and `masked_fill`.
        {.name = "index", .sig = "(T self, T?[] indices, *, string? error=None) -> T", .lower = G, .effect = K, .infer = index_result, .saves = index_saves(),
         .node = "IndexBackward0", .vjp = index_vjp, .index_error = out_of_bounds_index, .run_time_sizes = true, .negative_index = true, .inplace = false,
         .method = false, .function = false},
        {.name = "take", .sig = "(T self, T index) -> T", .lower = C, .effect = K, .infer = take_result, .saves = {save_in(1)},
         .node = "TakeBackward0",
         .vjp = [](Vjp& v) -> Grads {
             if (!v.needs(0)) return Grads(2);
             V g{&v.b, v.grad()};
             Sizes own = v.type(v.in(0)).sizes;
             return {reshape(index_put_of(zeros(g, {element_count(own)}), {v.in(1)}, g, true), own), ValueId()};
         },
         .decompose = composite<[](Composite& c) {
             int64_t n = c.in(0).type().numel();
             std::string error = fmt::format("IndexError: out of range: tried to access index {{}} on a tensor of {} elements.", n);
             V flat = reshape(c.in(0), {n});
             return emit(flat, "index"_op, {flat, c.inst.operands[1]}, attrs({{"error", error}}));
         }>,
         .inplace = false},
        {.name = "embedding", .sig = "(T weight, T indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> T",
         .lower = C, .effect = K, .infer = embedding_result, .saves = {save_in(1)}, .node = "EmbeddingBackward0", .vjp = embedding_vjp,
         .decompose = composite<embedding>, .run_time_sizes = true, .inplace = false, .method = false},
        {.name = "one_hot", .sig = "(T self, int num_classes=-1) -> T", .lower = C, .effect = K, .infer = one_hot_result,
         .decompose = composite<[](Composite& c) {
             V index = unsqueeze(c.in(0), rank_of(c.in(0)));
             V one = full_of(c.b, DType::I64, sizes_of(index), 1);
             return emit(index, "scatter"_op, {full_of(c.b, DType::I64, c.result().sizes, 0), index, one},
                         attrs({{"dim", int64_t{-1}}, {"error", std::string("RuntimeError: Class values must be smaller than num_classes.")}}));
         }>,
         .run_time_sizes = true, .inplace = false, .method = false, .function = false},

        {.name = "scatter", .sig = "(T self, int dim, T index, T src, *, string? error=None) -> T", .lower = S, .effect = K,
         .infer = scatter_result, .saves = {save_in(1)}, .node = "ScatterBackward0",
         .vjp = [](Vjp& v) -> Grads {
             V g{&v.b, v.grad()};
             return {grad_of(v, 0, [&] { return scatter_zero(v, g); }), ValueId(), grad_of(v, 2, [&] { return gather(v, g); })};
         },
         .index_error = out_of_bounds},
        {.name = "scatter.value", .sig = "(T self, int dim, T index, Scalar value) -> T", .lower = C, .effect = K, .infer = scatter_result,
         .saves = {save_in(1)}, .node = "ScatterBackward1",
         .vjp = [](Vjp& v) -> Grads {
             return {grad_of(v, 0, [&] { return scatter_zero(v, V{&v.b, v.grad()}); }), ValueId(), ValueId()};
         },
         .decompose = composite<[](Composite& c) {
             V src = {&c.b, c.b.full(dtype_of(c.in(0)), sizes_of(c.in(1)), c.in(2).id)};
             return emit(src, "scatter"_op, {c.in(0), c.in(1), src}, same_dim(c.inst));
         }>},
        {.name = "scatter.reduce", .sig = "(T self, int dim, T index, T src, *, string reduce) -> T", .lower = C, .effect = K,
         .infer = scatter_with_result,
         .decompose = composite<[](Composite& c) {
             return combined(c.in(0), c.inst.operands[1], c.in(2), reduce_name(c.attrs()), c.attrs());
         }>,
         .warning = "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch release. Use "
                    "torch.scatter_reduce instead for more reduction options."},
        {.name = "scatter.value_reduce", .sig = "(T self, int dim, T index, Scalar value, *, string reduce) -> T", .lower = C, .effect = K,
         .infer = scatter_with_result,
         .decompose = composite<[](Composite& c) {
             V src = {&c.b, c.b.full(dtype_of(c.in(0)), sizes_of(c.in(1)), c.in(2).id)};
             return combined(c.in(0), c.inst.operands[1], src, reduce_name(c.attrs()), c.attrs());
         }>},
        {.name = "scatter_add", .sig = "(T self, int dim, T index, T src) -> T", .lower = S, .effect = K, .infer = scatter_result,
         .saves = {save_in(1, 4)}, .node = "ScatterAddBackward0",
         .vjp = [](Vjp& v) -> Grads {
             V g{&v.b, v.grad()};
             return {grad_of(v, 0, [&] { return g; }), ValueId(), grad_of(v, 2, [&] { return gather(v, g); })};
         },
         .reduction = "sum", .index_error = out_of_bounds, .run_time_sizes = true},
        {.name = "scatter_reduce", .sig = "(T self, int dim, T index, T src, string reduce, *, bool include_self=True) -> T", .lower = C,
         .effect = K, .infer = scatter_reduce_result, .saves = {save_in(0), save_in(1), save_in(2), save_out(0)},
         .node = "ScatterReduceBackward0", .vjp = scatter_reduce_vjp, .decompose = composite<scatter_reduced>, .index_error = out_of_bounds},
        // `reduce`: sum, prod, amax or amin, with self.
        {.name = "scatter_combine", .sig = "(T self, int dim, T index, T src, string reduce) -> T", .lower = S, .effect = K,
         .infer = scatter_result, .index_error = out_of_bounds, .inplace = false, .method = false, .function = false},
        {.name = "index_add", .sig = "(T self, int dim, T index, T source, *, string? error=None) -> T", .lower = S, .effect = K, .infer = index_add_result,
         .saves = {save_in(1, 4), save_in(2, 4)}, .node = "IndexAddBackward0",
         .vjp = [](Vjp& v) -> Grads {
             V g{&v.b, v.grad()};
             return {grad_of(v, 0, [&] { return g; }), ValueId(), grad_of(v, 2, [&] { return select_along(v, g); })};
         },
         .reduction = "sum", .index_error = out_of_bounds, .run_time_sizes = true},
        {.name = "index_add.alpha", .sig = "(T self, int dim, T index, T source, *, Scalar alpha) -> T", .lower = C, .effect = K,
         .infer = index_add_result, .saves = {save_in(1, 4), save_in(2, 4)}, .node = "IndexAddBackward0",
         .vjp = [](Vjp& v) -> Grads {
             V g{&v.b, v.grad()};
             return {grad_of(v, 0, [&] { return g; }), ValueId(), grad_of(v, 2, [&] { return select_along(v, g) * in(v, 3); }), ValueId()};
         },
         .decompose = composite<[](Composite& c) {
             Attrs how = same_dim(c.inst);
             if (rank_of(c.in(0)) <= 1) how.set("error", std::string(out_of_range));
             return emit(c.in(0), "index_add"_op, {c.in(0), c.in(1), c.in(2) * c.in(3)}, how);
         }>},
        {.name = "index_copy", .sig = "(T self, int dim, T index, T source) -> T", .lower = S, .effect = K, .infer = index_copy_result,
         .saves = {save_in(1), save_in(2, 4)}, .node = "IndexCopyBackward0",
         .vjp = [](Vjp& v) -> Grads {
             V g{&v.b, v.grad()};
             return {grad_of(v, 0, [&] { return zero_along(v, g); }), ValueId(), grad_of(v, 2, [&] { return select_along(v, g); })};
         },
         .index_error = "IndexError: index_copy_(): index {} is out of bounds for dimension {} with size {}"},
        {.name = "index_fill", .sig = "(T self, int dim, T index, N value) -> T", .lower = C, .effect = K, .infer = index_fill_result,
         .saves = {save_in(1)},
         .node_of = [](const OpCall& c) { return c.types[2].is_tensor() ? "IndexFillBackward1" : "IndexFillBackward0"; },
         .vjp = [](Vjp& v) -> Grads {
             V g{&v.b, v.grad()};
             return {grad_of(v, 0, [&] { return zero_along(v, g); }), ValueId(),
                     grad_of(v, 2, [&] { return sum_all(select_along(v, g)); })};
         },
         .decompose = composite<[](Composite& c) {
             V x = c.in(0);
             V value = c.is_tensor(2) ? cast(c.in(2), dtype_of(x)) : V{&c.b, c.b.full(dtype_of(x), {}, c.in(2).id)};
             return put_along(x, c.in(1), value, dim_attr(c.attrs(), rank_of(x)), false);
         }>},
        {.name = "index_put", .sig = "(T self, T?[] indices, T values, bool accumulate=False) -> T", .lower = S, .effect = K,
         .infer = index_put_result, .saves = index_saves(), .node = "IndexPutBackward0", .vjp = index_put_vjp,
         .index_error = out_of_bounds_index, .run_time_sizes = true, .negative_index = true},

        // The number of chosen elements, and they. Result 1's size is result 0.
        {.name = "masked_select", .sig = "(T self, T mask) -> (i64 count, T values)", .lower = L, .infer = masked_select_result,
         .saves = {save_in(0), save_in(1)}, .node = "MaskedSelectBackward0", .vjp = masked_select_vjp, .runtime = "sifr_masked_select",
         .run_time_sizes = true, .inplace = false},
        {.name = "nonzero", .sig = "(T self) -> (i64 count, T indices)", .lower = L, .infer = nonzero_result, .runtime = "sifr_nonzero",
         .run_time_sizes = true, .inplace = false},
        {.name = "unique", .sig = "(T self, bool sorted=True) -> (i64 count, T values, T inverse, T counts)", .lower = L,
         .infer = unique_result, .runtime = "sifr_unique", .run_time_sizes = true, .inplace = false},
        {.name = "unique_consecutive", .sig = "(T self) -> (i64 count, T values, T inverse, T counts)", .lower = L,
         .infer = unique_result, .runtime = "sifr_unique_consecutive", .run_time_sizes = true, .inplace = false},
        // Distinct slices along an axis, or runs of equal neighbours: for each, the place of one.
        {.name = "unique_dim", .sig = "(T self, int dim, bool consecutive=False) -> (i64 count, T representatives, T inverse, T counts)",
         .lower = L, .infer = unique_dim_result, .runtime = "sifr_unique_dim", .inplace = false, .method = false, .function = false},
        {.name = "masked_scatter", .sig = "(T self, T mask, T source) -> T", .lower = C, .effect = K, .infer = masked_scatter_result,
         .saves = {save_in(1)}, .node = "MaskedScatterBackward0", .vjp = masked_scatter_vjp, .decompose = composite<masked_scatter>},

        {.name = "sort", .sig = "(T self, int dim=-1, bool descending=False, *, bool stable=False) -> (T values, T indices)", .lower = L,
         .infer = sort_result, .saves = {save_out(1)}, .node = "SortBackward0", .vjp = sorted_vjp, .runtime = "sifr_sort",
         .run_time_sizes = true, .inplace = false},
        {.name = "argsort", .sig = "(T self, int dim=-1, bool descending=False, *, bool stable=False) -> T", .lower = C,
         .infer = argsort_result,
         .decompose = composite<[](Composite& c) { return V{&c.b, c.b.emit_all("sort"_op, {c.in(0)}, c.attrs())[1]}; }>,
         .run_time_sizes = true, .inplace = false},
        {.name = "topk", .sig = "(T self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (T values, T indices)", .lower = L,
         .infer = topk_result, .saves = {save_out(1)}, .node = "TopkBackward0", .vjp = sorted_vjp, .runtime = "sifr_topk",
         .run_time_sizes = true, .inplace = false},
        {.name = "searchsorted", .sig = "(T sorted_sequence, T self, *, bool out_int32=False, bool right=False) -> T", .lower = L,
         .infer = searchsorted_result, .runtime = "sifr_searchsorted", .inplace = false, .method = false, .function = false},
        {.name = "bucketize", .sig = "(T self, T boundaries, *, bool out_int32=False, bool right=False) -> T", .lower = C,
         .infer = bucketize_result,
         .decompose = composite<[](Composite& c) {
             return emit(c.in(0), "searchsorted"_op, {c.in(1), c.in(0)}, c.attrs());
         }>,
         .inplace = false, .method = false, .function = false},
        {.name = "bincount", .sig = "(T self, T? weights=None, int minlength=0) -> T", .lower = L, .infer = bincount_result,
         .runtime = "sifr_bincount", .inplace = false},
        // Of two integer tensors of one shape and dtype.
        {.name = "gcd", .sig = "(T self, T other) -> T", .lower = L, .infer = [](const OpCall& c) -> std::vector<Type> { return {c.types[0]}; },
         .runtime = "sifr_gcd", .inplace = false, .method = false, .function = false},
        // The same bytes as other elements.
        {.name = "view_dtype", .sig = "(T self, *, dtype dtype) -> T", .lower = L, .infer = view_dtype_result,
         .runtime = "sifr_reinterpret", .inplace = false, .method = false, .function = false},
        {.name = "histc", .sig = "(T self, int bins=100, float min=0, float max=0) -> T", .lower = L, .effect = K, .infer = histc_result,
         .runtime = "sifr_histc", .inplace = false},
        {.name = "isin", .sig = "(T elements, T test_elements, *, bool assume_unique=False, bool invert=False) -> T", .lower = C,
         .infer = [](const OpCall& c) -> std::vector<Type> { return {Type::tensor(DType::Bool, c.types[0].sizes)}; },
         .decompose = composite<[](Composite& c) {
             V x = unsqueeze(c.in(0), rank_of(c.in(0)));
             V hit = eq(x, reshape(c.in(1), {c.in(1).type().numel()}));
             V any = reduce("any.dim"_op, hit, {rank_of(hit) - 1}, false);
             return c.attrs().get_or("invert", false) ? logical_not(any) : any;
         }>,
         .inplace = false, .method = false, .function = false},
    };
}

}  // namespace sifr::rows
