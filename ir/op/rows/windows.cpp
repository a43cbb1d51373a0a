#include <limits>

#include "ir/op/rows/rows.h"
#include "ir/op/rules/nn_rules.h"
#include "ir/op/rules/shape_rules.h"

// Convolutions and pools: sliding windows are an extract that overlaps itself, their gradient an `insert_add` through the same
// layout. A convolution is a matrix product over the windows.

namespace sifr::rows {
namespace {

using namespace rules;

Sizes join(Sizes a, const Sizes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
Sizes first_axes(const Sizes& s, int64_t n) { return {s.begin(), s.begin() + n}; }
Sizes last_axes(const Sizes& s, int64_t n) { return {s.end() - n, s.end()}; }

/// `x` (lead axes, then the windowed ones) with `fill` around it.
V pad_around(V x, const Windows& w, double fill) {
    if (!w.padded()) return x;
    Sizes lead = first_axes(sizes_of(x), rank_of(x) - w.rank());
    Sizes frame = lead;
    for (int64_t s : w.padded_input()) frame.push_back(s);
    Layout inner = Layout::contiguous(frame);
    inner.sizes = sizes_of(x);
    for (size_t d = 0; d < w.padding.size(); ++d) inner.offset += w.padding[d] * inner.strides[lead.size() + d];
    return insert(full_of(*x.b, dtype_of(x), frame, fill), inner, x);
}
V without_padding(V padded, const Windows& w, const Sizes& lead) {
    if (!w.padded()) return padded;
    Layout inner = Layout::contiguous(sizes_of(padded));
    for (size_t d = 0; d < w.padding.size(); ++d) {
        inner.offset += w.padding[d] * inner.strides[lead.size() + d];
        inner.sizes[lead.size() + d] = w.input[d];
    }
    return extract(padded, inner);
}
/// lead, windows, kernel
V windows(V x, const Windows& w, double fill) {
    Sizes lead = first_axes(sizes_of(x), rank_of(x) - w.rank());
    return extract(pad_around(x, w, fill), w.layout(lead));
}
/// The transpose of `windows`: each window's elements are added where they came from.
V fold(V pieces, const Windows& w, const Sizes& lead) {
    Sizes frame = lead;
    for (int64_t s : w.padded_input()) frame.push_back(s);
    return without_padding(insert_add(zeros(pieces, frame), w.layout(lead), pieces), w, lead);
}

/// A convolution's numbers: batch n, groups g, outputs per group m, k = channels per group · kernel, p windows.
struct Convolution {
    Windows w;
    int64_t n, g, c, m, k, p;
    bool unbatched;
};
Convolution convolution_of(const Type& x, const Type& weight, const Attrs& a) {
    int64_t rank = weight.rank() - 2;
    bool unbatched = x.rank() == rank + 1;
    Attrs with = a;
    with.set("kernel_size", last_axes(weight.sizes, rank));
    Convolution v{windows_of(with, last_axes(x.sizes, rank)), unbatched ? 1 : x.sizes[0], a.get_or<int64_t>("groups", 1), 0, 0, 0, 0, unbatched};
    v.c = weight.sizes[1];
    v.m = weight.sizes[0] / v.g;
    v.k = v.c * v.w.kernel_count();
    v.p = v.w.count();
    return v;
}
/// [g, k, n·p]: one column for each window, channels and kernel down.
V columns(V x, const Convolution& v) {
    V batched = reshape(x, join({v.n, v.g * v.c}, v.w.input));
    V win = reshape(windows(batched, v.w, 0.0), {v.n, v.g, v.c, v.p, v.w.kernel_count()});
    return reshape(permute(win, {1, 2, 4, 0, 3}), {v.g, v.k, v.n * v.p});
}
V product(const Convolution& v, V a, V b) {
    if (v.g > 1) return bmm(a, b);
    V out = mm(reshape(a, last_axes(sizes_of(a), 2)), reshape(b, last_axes(sizes_of(b), 2)));
    return reshape(out, join({1}, sizes_of(out)));
}
V convolution(Composite& c) {
    Convolution v = convolution_of(c.in(0).type(), c.in(1).type(), c.attrs());
    V weight = reshape(c.in(1), {v.g, v.m, v.k});
    V y = reshape(product(v, weight, columns(c.in(0), v)), {v.g, v.m, v.n, v.p});
    y = reshape(permute(y, {2, 0, 1, 3}), {v.n, v.g * v.m, v.p});
    if (c.given(2)) y = y + reshape(c.in(2), {v.g * v.m, 1});
    return reshape(y, c.result().sizes);
}
Grads convolution_vjp(Vjp& u) {
    Convolution v = convolution_of(u.type(u.in(0)), u.type(u.in(1)), u.inst.attrs);
    V g{&u.b, u.grad()};
    V flat = reshape(g, {v.n, v.g, v.m, v.p});
    V by_group = reshape(permute(flat, {1, 2, 0, 3}), {v.g, v.m, v.n * v.p});
    Grads out(3);
    if (u.needs(0)) {
        V weight = reshape(in(u, 1), {v.g, v.m, v.k});
        V cols = reshape(product(v, mt(weight), by_group), {v.g, v.c, v.w.kernel_count(), v.n, v.p});
        V win = reshape(permute(cols, {3, 0, 1, 4, 2}), join(join({v.n, v.g * v.c}, v.w.output), v.w.kernel));
        out[0] = u.to(0, reshape(fold(win, v.w, {v.n, v.g * v.c}), u.type(u.in(0)).sizes));
    }
    if (u.needs(1)) out[1] = u.to(1, reshape(product(v, by_group, mt(columns(in(u, 0), v))), u.type(u.in(1)).sizes));
    if (u.inst.operands.size() > 2 && !is_none(u.type(u.in(2))) && u.needs(2)) out[2] = u.to(2, reshape(sum(flat, {0, 3}), {v.g * v.m}));
    return out;
}

// ---- pools

int64_t spatial_rank(Op op) { return name_of(op).find("1d") != std::string_view::npos ? 1 : 2; }
/// An adaptive pool with a divisor is a pool with that stride.
Windows pool_windows(Op op, const Attrs& a, const Sizes& x) {
    int64_t rank = spatial_rank(op);
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
    return reshape(windows(x, w, fill), join(join(lead_of(sizes_of(x), w), w.output), {w.kernel_count()}));
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
    if (a.get_or("count_include_pad", true) || !w.padded()) return total / static_cast<double>(w.kernel_count());
    V ones = rows_of_windows(full_of(*total.b, dtype_of(total), w.input, 1.0), w, 0.0);
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

// ---- im2col and back

V im2col(V x, const Windows& w) {
    Sizes s = sizes_of(x);
    V win = reshape(windows(x, w, 0.0), {s[0], s[1], w.count(), w.kernel_count()});
    return reshape(permute(win, {0, 1, 3, 2}), {s[0], s[1] * w.kernel_count(), w.count()});
}
V col2im(V cols, const Windows& w) {
    Sizes s = sizes_of(cols);
    int64_t c = s[1] / w.kernel_count();
    V win = permute(reshape(cols, {s[0], c, w.kernel_count(), w.count()}), {0, 1, 3, 2});
    return fold(reshape(win, join(join({s[0], c}, w.output), w.kernel)), w, {s[0], c});
}

// ---- nearest neighbours by whole factors

Sizes upsample_frame(const Sizes& from, const Sizes& to) {
    Sizes out;
    for (size_t d = 0; d < from.size(); ++d) {
        out.push_back(from[d]);
        out.push_back(to[d] / from[d]);
    }
    return out;
}
V upsample(Composite& c) {
    Sizes frame = upsample_frame(sizes_of(c.in(0)), c.result().sizes), spread = frame;
    for (size_t d = 1; d < spread.size(); d += 2) spread[d] = 1;
    return reshape(expand(reshape(c.in(0), spread), frame), c.result().sizes);
}
V upsample_vjp(Vjp& v, V g) {
    Sizes own = v.type(v.in(0)).sizes;
    Sizes frame = upsample_frame(own, sizes_of(g));
    std::vector<int64_t> dims;
    for (size_t d = 1; d < frame.size(); d += 2) dims.push_back(static_cast<int64_t>(d));
    return reshape(sum(reshape(g, frame), dims), own);
}

}  // namespace

Rows windows() {
    constexpr Lower C = Lower::Composite;
    return {
        {.name = "conv1d",
         .sig = "(T self, T weight, T? bias=None, int[1] stride=1, int[1] padding=0, int[1] dilation=1, int groups=1) -> T", .lower = C,
         .infer = convolution_result, .saves = {save_in(0), save_in(1)}, .node = "ConvolutionBackward0", .vjp = convolution_vjp,
         .decompose = composite<convolution>, .inplace = false, .method = false},
        {.name = "conv2d",
         .sig = "(T self, T weight, T? bias=None, int[2] stride=1, int[2] padding=0, int[2] dilation=1, int groups=1) -> T", .lower = C,
         .infer = convolution_result, .saves = {save_in(0), save_in(1)}, .node = "ConvolutionBackward0", .vjp = convolution_vjp,
         .decompose = composite<convolution>, .inplace = false, .method = false},
        {.name = "max_pool1d",
         .sig = "(T self, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> T",
         .lower = C, .infer = pool_result, .saves = {save_in(0)}, .node = "SqueezeBackward1", .vjp = gradients<max_pool_vjp>,
         .decompose = composite<max_pool>, .inplace = false, .method = false},
        {.name = "max_pool2d",
         .sig = "(T self, int[2] kernel_size, int[2]? stride=None, int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> T",
         .lower = C, .infer = pool_result, .saves = {save_in(0)}, .node = "MaxPool2DWithIndicesBackward0", .vjp = gradients<max_pool_vjp>,
         .decompose = composite<max_pool>, .inplace = false, .method = false},
        {.name = "avg_pool1d",
         .sig = "(T self, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> T",
         .lower = C, .infer = pool_result, .saves = {save_in(0)}, .node = "SqueezeBackward1", .vjp = gradients<avg_pool_vjp>,
         .decompose = composite<avg_pool>, .inplace = false, .method = false},
        {.name = "avg_pool2d",
         .sig = "(T self, int[2] kernel_size, int[2]? stride=None, int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? "
                "divisor_override=None) -> T",
         .lower = C, .infer = pool_result, .saves = {save_in(0)}, .node = "AvgPool2DBackward0", .vjp = gradients<avg_pool_vjp>,
         .decompose = composite<avg_pool>, .inplace = false, .method = false, .function = false},
        {.name = "adaptive_avg_pool1d", .sig = "(T self, int[1] output_size) -> T", .lower = C, .infer = adaptive_pool_result,
         .saves = {save_in(0)}, .node = "SqueezeBackward1", .vjp = gradients<avg_pool_vjp>, .decompose = composite<avg_pool>,
         .inplace = false, .method = false},
        {.name = "adaptive_avg_pool2d", .sig = "(T self, int[2] output_size) -> T", .lower = C, .infer = adaptive_pool_result,
         .saves = {save_in(0)},
         .node_of = [](const OpCall& c) {
             auto size = ints(c.attrs, "output_size");
             bool one = size == std::vector<int64_t>{1, 1} || size == std::vector<int64_t>{1};
             return one ? "MeanBackward1" : "AdaptiveAvgPool2DBackward0";
         },
         .vjp = gradients<avg_pool_vjp>, .decompose = composite<avg_pool>, .inplace = false, .method = false, .function = false},
        {.name = "adaptive_max_pool2d", .sig = "(T self, int[2] output_size) -> T", .lower = C, .infer = adaptive_pool_result,
         .saves = {save_in(0)}, .node = "AdaptiveMaxPool2DBackward0", .vjp = gradients<max_pool_vjp>, .decompose = composite<max_pool>,
         .inplace = false, .method = false, .function = false},
        {.name = "im2col", .sig = "(T self, int[2] kernel_size, int[2] dilation=1, int[2] padding=0, int[2] stride=1) -> T", .lower = C,
         .infer = im2col_result, .node = "Im2ColBackward0",
         .vjp = gradients<[](Vjp& v, V g) {
             return col2im(g, windows_of(v.inst.attrs, last_axes(v.type(v.in(0)).sizes, 2)));
         }>,
         .decompose = composite<[](Composite& c) { return im2col(c.in(0), windows_of(c.attrs(), last_axes(sizes_of(c.in(0)), 2))); }>,
         .inplace = false, .method = false, .function = false},
        {.name = "col2im",
         .sig = "(T self, int[2] output_size, int[2] kernel_size, int[2] dilation=1, int[2] padding=0, int[2] stride=1) -> T", .lower = C,
         .infer = col2im_result, .node = "Col2ImBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return im2col(g, windows_of(v.inst.attrs, last_axes(sizes_of(g), 2))); }>,
         .decompose = composite<[](Composite& c) { return col2im(c.in(0), windows_of(c.attrs(), last_axes(c.result().sizes, 2))); }>,
         .inplace = false, .method = false, .function = false},
        {.name = "upsample_nearest", .sig = "(T self, int[] output_size) -> T", .lower = C, .infer = upsample_result,
         .node_of = [](const OpCall& c) {
             return c.types[0].rank() == 3 ? "UpsampleNearest1DBackward0" : "UpsampleNearest2DBackward0";
         },
         .vjp = gradients<upsample_vjp>, .decompose = composite<upsample>, .inplace = false, .method = false, .function = false},
    };
}

}  // namespace sifr::rows
