#include "ir/op/rows/rows.h"
#include "ir/op/rules/window_formulas.h"

// A convolution is a matrix product over the windows; a transposed one is what its gradient does to the input.

namespace sifr::rows {
namespace {

using namespace rules;

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
    V win = reshape(windows_over(batched, v.w, 0.0), join(join({v.n, v.g, v.c}, v.w.output), v.w.kernel));
    // One permutation of all axes: the windows are copied once, as they lie in the input.
    std::vector<int> order = {1, 2};
    const int rank = static_cast<int>(v.w.rank());
    for (int d = 0; d < rank; ++d) order.push_back(3 + rank + d);
    order.push_back(0);
    for (int d = 0; d < rank; ++d) order.push_back(3 + d);
    return reshape(permute(win, order), {v.g, v.k, v.n * v.p});
}
V product(const Convolution& v, V a, V b) {
    if (v.g > 1) return bmm(a, b);
    V out = mm(reshape(a, last_axes(sizes_of(a), 2)), reshape(b, last_axes(sizes_of(b), 2)));
    return reshape(out, join({1}, sizes_of(out)));
}
/// [n, g·m, p]
V convolved(const Convolution& v, V x, V weight) {
    V y = reshape(product(v, reshape(weight, {v.g, v.m, v.k}), columns(x, v)), {v.g, v.m, v.n, v.p});
    return reshape(permute(y, {2, 0, 1, 3}), {v.n, v.g * v.m, v.p});
}
/// One column for each window, outputs per group down: [g, m, n·p].
V by_group(const Convolution& v, V y) {
    return reshape(permute(reshape(y, {v.n, v.g, v.m, v.p}), {1, 2, 0, 3}), {v.g, v.m, v.n * v.p});
}
/// The transpose of `convolved` in x: [n, g·c, input…].
V spread(const Convolution& v, V y, V weight) {
    V cols = product(v, mt(reshape(weight, {v.g, v.m, v.k})), by_group(v, y));
    V win = reshape(cols, join(join(join({v.g * v.c}, v.w.kernel), {v.n}), v.w.output));
    const int rank = static_cast<int>(v.w.rank());
    std::vector<int> order = {1 + rank, 0};
    for (int d = 0; d < rank; ++d) order.push_back(2 + rank + d);
    for (int d = 0; d < rank; ++d) order.push_back(1 + d);
    return fold(permute(win, order), v.w, {v.n, v.g * v.c});
}
/// The gradient of the weight, from that of the result and the input.
V weight_gradient(const Convolution& v, V y, V x) { return product(v, by_group(v, y), mt(columns(x, v))); }

V convolution(Composite& c) {
    Convolution v = convolution_of(c.in(0).type(), c.in(1).type(), c.attrs());
    V y = convolved(v, c.in(0), c.in(1));
    if (c.given(2)) y = y + reshape(c.in(2), {v.g * v.m, 1});
    return reshape(y, c.result().sizes);
}
Grads convolution_vjp(Vjp& u) {
    Convolution v = convolution_of(u.type(u.in(0)), u.type(u.in(1)), u.inst.attrs);
    V g{&u.b, u.grad()};
    Grads out(3);
    if (u.needs(0)) out[0] = u.to(0, reshape(spread(v, g, in(u, 1)), u.type(u.in(0)).sizes));
    if (u.needs(1)) out[1] = u.to(1, reshape(weight_gradient(v, g, in(u, 0)), u.type(u.in(1)).sizes));
    if (u.inst.operands.size() > 2 && !is_none(u.type(u.in(2))) && u.needs(2))
        out[2] = u.to(2, reshape(sum(reshape(g, {v.n, v.g * v.m, v.p}), {0, 2}), {v.g * v.m}));
    return out;
}

/// A transposed convolution is named by the convolution that goes the other way: its input is our result, its result our input.
V transposed_convolution(Composite& c) {
    Convolution v = convolution_of(c.result(), c.in(1).type(), c.attrs());
    V y = spread(v, c.in(0), c.in(1));
    if (c.given(2)) {
        int64_t channels = v.g * v.c;
        y = reshape(reshape(y, {v.n, channels, y.type().numel() / (v.n * channels)}) + reshape(c.in(2), {channels, 1}), sizes_of(y));
    }
    return reshape(y, c.result().sizes);
}
Grads transposed_convolution_vjp(Vjp& u) {
    V g{&u.b, u.grad()};
    Convolution v = convolution_of(g.type(), u.type(u.in(1)), u.inst.attrs);
    Grads out(3);
    if (u.needs(0)) out[0] = u.to(0, reshape(convolved(v, g, in(u, 1)), u.type(u.in(0)).sizes));
    if (u.needs(1)) out[1] = u.to(1, reshape(weight_gradient(v, in(u, 0), g), u.type(u.in(1)).sizes));
    if (u.inst.operands.size() > 2 && !is_none(u.type(u.in(2))) && u.needs(2)) {
        int64_t channels = v.g * v.c;
        out[2] = u.to(2, reshape(sum(reshape(g, {v.n, channels, g.type().numel() / (v.n * channels)}), {0, 2}), {channels}));
    }
    return out;
}

}  // namespace

Rows convolutions() {
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
        {.name = "conv3d",
         .sig = "(T self, T weight, T? bias=None, int[3] stride=1, int[3] padding=0, int[3] dilation=1, int groups=1) -> T", .lower = C,
         .infer = convolution_result, .saves = {save_in(0), save_in(1)}, .node = "ConvolutionBackward0", .vjp = convolution_vjp,
         .decompose = composite<convolution>, .inplace = false, .method = false},
        {.name = "conv_transpose1d",
         .sig = "(T self, T weight, T? bias=None, int[1] stride=1, int[1] padding=0, int[1] output_padding=0, int groups=1, int[1] "
                "dilation=1) -> T",
         .lower = C, .infer = transposed_convolution_result, .saves = {save_in(0), save_in(1)}, .node = "ConvolutionBackward0",
         .vjp = transposed_convolution_vjp, .decompose = composite<transposed_convolution>, .inplace = false, .method = false},
        {.name = "conv_transpose2d",
         .sig = "(T self, T weight, T? bias=None, int[2] stride=1, int[2] padding=0, int[2] output_padding=0, int groups=1, int[2] "
                "dilation=1) -> T",
         .lower = C, .infer = transposed_convolution_result, .saves = {save_in(0), save_in(1)}, .node = "ConvolutionBackward0",
         .vjp = transposed_convolution_vjp, .decompose = composite<transposed_convolution>, .inplace = false, .method = false},
        {.name = "conv_transpose3d",
         .sig = "(T self, T weight, T? bias=None, int[3] stride=1, int[3] padding=0, int[3] output_padding=0, int groups=1, int[3] "
                "dilation=1) -> T",
         .lower = C, .infer = transposed_convolution_result, .saves = {save_in(0), save_in(1)}, .node = "ConvolutionBackward0",
         .vjp = transposed_convolution_vjp, .decompose = composite<transposed_convolution>, .inplace = false, .method = false},
    };
}

}  // namespace sifr::rows
