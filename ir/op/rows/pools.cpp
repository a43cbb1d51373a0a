#include <algorithm>
#include <limits>

#include "ir/op/rows/rows.h"
#include "ir/op/rules/shape_rules.h"
#include "ir/op/rules/window_formulas.h"

// Pools over sliding windows, and adaptive ones whose windows the sizes of the result decide.

namespace sifr::rows {
namespace {

using namespace rules;

/// An adaptive pool with a divisor is a pool with that stride.
Windows pool_windows(Op op, const Attrs& a, const Sizes& x) {
    int64_t rank = spatial_rank(name_of(op));
    Sizes input = last_axes(x, rank);
    auto wanted = ints(a, "output_size");
    if (wanted.empty()) return windows_of(a, input);
    if (static_cast<int64_t>(wanted.size()) < rank) wanted.assign(static_cast<size_t>(rank), wanted[0]);
    Attrs b;
    std::vector<int64_t> kernel;
    for (int64_t d = 0; d < rank; ++d) kernel.push_back(input[d] / wanted[d]);
    b.set("kernel_size", kernel);
    b.set("stride", kernel);
    return windows_of(b, input);
}
Sizes lead_of(const Sizes& x, const Windows& w) { return first_axes(x, static_cast<int64_t>(x.size()) - w.rank()); }
/// lead, windows, elements of one window
V rows_of_windows(V x, const Windows& w, double fill) {
    return reshape(windows_over(x, w, fill), join(join(lead_of(sizes_of(x), w), w.output), {w.kernel_count()}));
}
constexpr double lowest = -std::numeric_limits<double>::infinity();
V max_pool(Composite& c) {
    V x = c.in(0);
    Windows w = pool_windows(c.inst.op, c.attrs(), sizes_of(x));
    V rows = rows_of_windows(x, w, lowest);
    return reshape(amax(rows, {rank_of(rows) - 1}), c.result().sizes);
}
/// All of a window's gradient goes to its first largest element.
V max_pool_vjp(Vjp& v, V g) {
    V x = in(v, 0);
    Windows w = pool_windows(v.inst.op, v.inst.attrs, sizes_of(x));
    V rows = rows_of_windows(x, w, lowest);
    int64_t last = rank_of(rows) - 1;
    V best = emit(rows, "argmax"_op, {rows}, attrs({{"dim", last}, {"keepdim", true}}));
    V hit = eq(arange(v.b, w.kernel_count()), best);
    V spread = where(hit, unsqueeze(g, last), 0.0);
    Sizes lead = lead_of(sizes_of(x), w);
    return fold(reshape(spread, join(join(lead, w.output), w.kernel)), w, lead);
}
/// How many elements of each window count: all, or those that are no padding; `divisor_override` wins.
V divided(V total, const Windows& w, const Attrs& a) {
    const AttrValue* d = a.find("divisor_override");
    if (d && std::holds_alternative<int64_t>(*d)) return total / static_cast<double>(std::get<int64_t>(*d));
    bool with_padding = a.get_or("count_include_pad", true);
    if (!w.padded() || (with_padding && !w.beyond())) return total / static_cast<double>(w.kernel_count());
    // What ceil_mode adds behind the padding never counts.
    Windows counted = w;
    if (with_padding) {
        for (size_t d = 0; d < w.padding.size(); ++d) {
            counted.input[d] += 2 * w.padding[d];
            counted.padding[d] = 0;
        }
    }
    V ones = rows_of_windows(full_of(*total.b, dtype_of(total), counted.input, 1.0), counted, 0.0);
    return total / sum(ones, {rank_of(ones) - 1}, false);
}
V avg_pool(Composite& c) {
    V x = c.in(0);
    Windows w = pool_windows(c.inst.op, c.attrs(), sizes_of(x));
    V rows = rows_of_windows(x, w, 0.0);
    return reshape(divided(sum(rows, {rank_of(rows) - 1}, false), w, c.attrs()), c.result().sizes);
}
V avg_pool_vjp(Vjp& v, V g) {
    Sizes x = v.type(v.in(0)).sizes;
    Windows w = pool_windows(v.inst.op, v.inst.attrs, x);
    V share = divided(g, w, v.inst.attrs);
    Sizes lead = lead_of(x, w), ones(w.kernel.size(), 1);
    V spread = expand(reshape(share, join(sizes_of(share), ones)), join(join(lead, w.output), w.kernel));
    return fold(spread, w, lead);
}

// ---- the places of maxima

V constant(V like, int64_t v) { return {like.b, like.b->constant_int(v)}; }
V divided_by(V a, int64_t n) { return n == 1 ? a : emit(a, "floor_divide"_op, {a, constant(a, n)}); }
V remainder_of(V a, int64_t n) { return emit(a, "remainder"_op, {a, constant(a, n)}); }

/// Values of the windows and where each stands in its plane, row-major.
std::vector<ValueId> max_pool_with_indices(Composite& c) {
    V x = c.in(0);
    Windows w = pool_windows(c.inst.op, c.attrs(), sizes_of(x));
    V rows = rows_of_windows(x, w, lowest);
    int64_t last = rank_of(rows) - 1;
    V best = emit(rows, "argmax"_op, {rows}, attrs({{"dim", last}, {"keepdim", false}}));
    Strides plane = contiguous_strides(w.input);
    V place = constant(best, 0);
    int64_t behind = w.kernel_count();
    for (size_t d = 0; d < w.kernel.size(); ++d) {
        behind /= w.kernel[d];
        V inside = remainder_of(divided_by(best, behind), w.kernel[d]);
        Sizes along(w.kernel.size(), 1);
        along[d] = w.output[d];
        V start = reshape(arange(c.b, w.output[d]) * static_cast<double>(w.stride[d]) - static_cast<double>(w.padding[d]), along);
        V part = (start + inside * static_cast<double>(w.dilation[d])) * static_cast<double>(plane[d]);
        place = d == 0 ? part : place + part;
    }
    return {reshape(amax(rows, {last}), c.result(0).sizes), reshape(place, c.result(1).sizes)};
}
/// The gradient of a maximum goes to its place.
Grads at_indices_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    Sizes own = v.type(v.in(0)).sizes;
    V g{&v.b, v.grad(0)};
    int64_t rank = spatial_rank(name_of(v.inst.op));
    Sizes lead = first_axes(own, static_cast<int64_t>(own.size()) - rank);
    auto flat = [&](V x, int64_t n) { return reshape(x, join(lead, {n})); };
    int64_t count = element_count(lead) == 0 ? 0 : g.type().numel() / element_count(lead);
    V zero = zeros(g, join(lead, {element_count(last_axes(own, rank))}));
    V sum = emit(g, "scatter_add"_op, {zero, flat(out(v, 1), count), flat(g, count)}, attrs({{"dim", static_cast<int64_t>(lead.size())}}));
    return {reshape(sum, own)};
}

// ---- adaptive pools: output o of n covers [floor(o·in/n), ceil((o+1)·in/n))

struct Cover {
    int64_t start, length;
};
Cover cover(int64_t o, int64_t n, int64_t size) {
    int64_t start = o * size / n, end = ((o + 1) * size + n - 1) / n;
    return {start, end - start};
}
V joined(const std::vector<V>& parts, int64_t dim) {
    std::vector<ValueId> ids(parts.begin(), parts.end());
    return {parts[0].b, parts[0].b->emit("cat"_op, ids, attrs({{"dim", dim}}))};
}
V adaptive_avg(Composite& c) {
    V x = c.in(0);
    Sizes wanted = c.result().sizes;
    for (int64_t d = 0; d < rank_of(x); ++d) {
        int64_t n = wanted[static_cast<size_t>(d)], size = sizes_of(x)[static_cast<size_t>(d)];
        if (n == size) continue;
        std::vector<V> parts;
        for (int64_t o = 0; o < n; ++o) {
            Cover at = cover(o, n, size);
            parts.push_back(sum(slice(x, d, at.start, at.length), {d}) / static_cast<double>(at.length));
        }
        if (parts.empty()) return zeros(x, wanted);
        x = joined(parts, d);
    }
    return x;
}
V adaptive_avg_vjp(Vjp& v, V g) {
    Sizes own = v.type(v.in(0)).sizes;
    for (int64_t d = rank_of(g); d-- > 0;) {
        int64_t n = sizes_of(g)[static_cast<size_t>(d)], size = own[static_cast<size_t>(d)];
        if (n == size) continue;
        Sizes wide = sizes_of(g);
        wide[static_cast<size_t>(d)] = size;
        V total = zeros(g, wide);
        for (int64_t o = 0; o < n; ++o) {
            Cover at = cover(o, n, size);
            wide[static_cast<size_t>(d)] = at.length;
            V share = expand(slice(g, d, o, 1) / static_cast<double>(at.length), wide);
            total = insert_slice(total, slice(total, d, at.start, at.length) + share, d, at.start);
        }
        g = total;
    }
    return g;
}
/// Divisors are pools with that stride.
bool divides(const Sizes& from, const Sizes& to) {
    for (size_t d = 0; d < from.size(); ++d) {
        if (to[d] == 0 || from[d] % to[d] != 0) return false;
    }
    return true;
}
V adaptive_avg_pool(Composite& c) { return divides(sizes_of(c.in(0)), c.result().sizes) ? avg_pool(c) : adaptive_avg(c); }
V adaptive_avg_pool_vjp(Vjp& v, V g) { return divides(v.type(v.in(0)).sizes, sizes_of(g)) ? avg_pool_vjp(v, g) : adaptive_avg_vjp(v, g); }

std::vector<ValueId> adaptive_max_pool(Composite& c) {
    V x = c.in(0);
    if (divides(sizes_of(x), c.result().sizes)) return max_pool_with_indices(c);
    int64_t rank = spatial_rank(name_of(c.inst.op)), first = rank_of(x) - rank;
    Sizes input = last_axes(sizes_of(x), rank), wanted = last_axes(c.result().sizes, rank), lead = first_axes(sizes_of(x), first);
    Strides plane = contiguous_strides(input);
    std::vector<V> values, places;
    int64_t cells = element_count(wanted);
    for (int64_t cell = 0; cell < cells; ++cell) {
        V piece = x;
        int64_t rest = cell, base = 0;
        Sizes kernel(static_cast<size_t>(rank));
        for (int64_t d = rank; d-- > 0;) {
            auto k = static_cast<size_t>(d);
            Cover at = cover(rest % wanted[k], wanted[k], input[k]);
            rest /= wanted[k];
            piece = slice(piece, first + d, at.start, at.length);
            kernel[k] = at.length;
            base += at.start * plane[k];
        }
        V row = reshape(piece, join(lead, {element_count(kernel)}));
        V best = emit(row, "argmax"_op, {row}, attrs({{"dim", first}, {"keepdim", true}}));
        V place = best * 0.0 + static_cast<double>(base);
        int64_t behind = element_count(kernel);
        for (size_t k = 0; k < kernel.size(); ++k) {
            behind /= kernel[k];
            place = place + remainder_of(divided_by(best, behind), kernel[k]) * static_cast<double>(plane[k]);
        }
        values.push_back(amax(row, {first}));
        places.push_back(place);
    }
    if (values.empty()) return {zeros(x, c.result().sizes), full_of(c.b, DType::I64, c.result().sizes, 0)};
    return {reshape(joined(values, first), c.result().sizes), reshape(joined(places, first), c.result().sizes)};
}

const char* adaptive_avg_node(const OpCall& c) {
    auto size = ints(c.attrs, "output_size");
    bool one = std::all_of(size.begin(), size.end(), [](int64_t s) { return s == 1; });
    return one ? "MeanBackward1" : name_of(c.op).find("3d") != std::string_view::npos ? "AdaptiveAvgPool3DBackward0" : "AdaptiveAvgPool2DBackward0";
}

}  // namespace

Rows pools() {
    constexpr Lower C = Lower::Composite;
    return {
        {.name = "max_pool1d", .sig = "(T self, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> T",
         .lower = C, .infer = pool_result, .saves = {save_in(0)}, .node = "SqueezeBackward1", .vjp = gradients<max_pool_vjp>,
         .decompose = composite<max_pool>, .inplace = false, .method = false},
        {.name = "max_pool1d_with_indices", .sig = "(T self, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> (T values, T indices)",
         .lower = C, .infer = pool_indices_result, .saves = {save_in(0), save_out(1)}, .node = "SqueezeBackward1", .vjp = at_indices_vjp,
         .decompose = composite<max_pool_with_indices>, .inplace = false, .method = false, .function = false},
        {.name = "avg_pool1d",
         .sig = "(T self, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> T",
         .lower = C, .infer = pool_result, .saves = {save_in(0)}, .node = "SqueezeBackward1", .vjp = gradients<avg_pool_vjp>,
         .decompose = composite<avg_pool>, .inplace = false, .method = false},
        {.name = "adaptive_avg_pool1d", .sig = "(T self, int[1] output_size) -> T", .lower = C, .infer = adaptive_pool_result,
         .saves = {save_in(0)}, .node = "SqueezeBackward1", .vjp = gradients<adaptive_avg_pool_vjp>, .decompose = composite<adaptive_avg_pool>,
         .inplace = false, .method = false},
        {.name = "adaptive_max_pool1d", .sig = "(T self, int[1] output_size) -> (T values, T indices)", .lower = C,
         .infer = adaptive_pool_indices_result, .saves = {save_in(0), save_out(1)}, .node = "SqueezeBackward1", .vjp = at_indices_vjp,
         .decompose = composite<adaptive_max_pool>, .inplace = false, .method = false, .function = false},
        {.name = "max_pool2d", .sig = "(T self, int[2] kernel_size, int[2]? stride=None, int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> T",
         .lower = C, .infer = pool_result, .saves = {save_in(0)}, .node = "MaxPool2DWithIndicesBackward0", .vjp = gradients<max_pool_vjp>,
         .decompose = composite<max_pool>, .inplace = false, .method = false},
        {.name = "max_pool2d_with_indices", .sig = "(T self, int[2] kernel_size, int[2]? stride=None, int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (T values, T indices)",
         .lower = C, .infer = pool_indices_result, .saves = {save_in(0), save_out(1)}, .node = "MaxPool2DWithIndicesBackward0", .vjp = at_indices_vjp,
         .decompose = composite<max_pool_with_indices>, .inplace = false, .method = false, .function = false},
        {.name = "avg_pool2d",
         .sig = "(T self, int[2] kernel_size, int[2]? stride=None, int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> T",
         .lower = C, .infer = pool_result, .saves = {save_in(0)}, .node = "AvgPool2DBackward0", .vjp = gradients<avg_pool_vjp>,
         .decompose = composite<avg_pool>, .inplace = false, .method = false, .function = false},
        {.name = "adaptive_avg_pool2d", .sig = "(T self, int[2] output_size) -> T", .lower = C, .infer = adaptive_pool_result,
         .saves = {save_in(0)}, .node_of = adaptive_avg_node, .vjp = gradients<adaptive_avg_pool_vjp>, .decompose = composite<adaptive_avg_pool>,
         .inplace = false, .method = false, .function = false},
        {.name = "adaptive_max_pool2d", .sig = "(T self, int[2] output_size) -> (T values, T indices)", .lower = C,
         .infer = adaptive_pool_indices_result, .saves = {save_in(0), save_out(1)}, .node = "AdaptiveMaxPool2DBackward0", .vjp = at_indices_vjp,
         .decompose = composite<adaptive_max_pool>, .inplace = false, .method = false, .function = false},
        {.name = "max_pool3d", .sig = "(T self, int[3] kernel_size, int[3]? stride=None, int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> T",
         .lower = C, .infer = pool_result, .saves = {save_in(0)}, .node = "MaxPool3DWithIndicesBackward0", .vjp = gradients<max_pool_vjp>,
         .decompose = composite<max_pool>, .inplace = false, .method = false},
        {.name = "max_pool3d_with_indices", .sig = "(T self, int[3] kernel_size, int[3]? stride=None, int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (T values, T indices)",
         .lower = C, .infer = pool_indices_result, .saves = {save_in(0), save_out(1)}, .node = "MaxPool3DWithIndicesBackward0", .vjp = at_indices_vjp,
         .decompose = composite<max_pool_with_indices>, .inplace = false, .method = false, .function = false},
        {.name = "avg_pool3d",
         .sig = "(T self, int[3] kernel_size, int[3]? stride=None, int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> T",
         .lower = C, .infer = pool_result, .saves = {save_in(0)}, .node = "AvgPool3DBackward0", .vjp = gradients<avg_pool_vjp>,
         .decompose = composite<avg_pool>, .inplace = false, .method = false, .function = false},
        {.name = "adaptive_avg_pool3d", .sig = "(T self, int[3] output_size) -> T", .lower = C, .infer = adaptive_pool_result,
         .saves = {save_in(0)}, .node_of = adaptive_avg_node, .vjp = gradients<adaptive_avg_pool_vjp>, .decompose = composite<adaptive_avg_pool>,
         .inplace = false, .method = false, .function = false},
        {.name = "adaptive_max_pool3d", .sig = "(T self, int[3] output_size) -> (T values, T indices)", .lower = C,
         .infer = adaptive_pool_indices_result, .saves = {save_in(0), save_out(1)}, .node = "AdaptiveMaxPool3DBackward0", .vjp = at_indices_vjp,
         .decompose = composite<adaptive_max_pool>, .inplace = false, .method = false, .function = false},
    };
}

}  // namespace sifr::rows
