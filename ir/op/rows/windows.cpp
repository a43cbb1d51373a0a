#include "ir/op/rows/rows.h"
#include "ir/op/rules/window_formulas.h"

// Windows as columns and back, and nearest neighbours by whole factors.

namespace sifr::rows {
namespace {

using namespace rules;

// ---- im2col and back

V im2col(V x, const Windows& w) {
    Sizes s = sizes_of(x);
    V win = reshape(windows_over(x, w, 0.0), {s[0], s[1], w.count(), w.kernel_count()});
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
