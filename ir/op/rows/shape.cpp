#include <algorithm>
#include <cstdlib>

#include "ir/op/rows/rows.h"
#include "ir/op/rules/gradient.h"
#include "ir/op/rules/shape_rules.h"

// Rows that put elements in other places: joins, repetitions, rotations, triangles, padding. All but `cat` are written as extracts,
// inserts and selections.

namespace sifr::rows {
namespace {

using namespace rules;

V join(Builder& b, const std::vector<V>& parts, int64_t dim) {
    std::vector<ValueId> ids(parts.begin(), parts.end());
    return {&b, b.emit("cat"_op, ids, attrs({{"dim", dim}}))};
}

Grads cat_vjp(Vjp& v) {
    V g{&v.b, v.grad()};
    Grads out(v.inst.operands.size());
    int64_t at = 0, dim = rank_of(g) == 0 ? 0 : normalize_dim(v.inst.attrs.get_or<int64_t>("dim", 0), rank_of(g));
    for (size_t k = 0; k < out.size(); ++k) {
        Sizes s = v.type(v.in(k)).sizes;
        if (s.size() == 1 && s[0] == 0) {
            if (v.needs(k)) out[k] = v.to(k, zeros(g, s));
            continue;
        }
        if (v.needs(k)) out[k] = v.to(k, slice(g, dim, at, s[dim]));
        at += s[dim];
    }
    return out;
}
Grads stack_vjp(Vjp& v) {
    V g{&v.b, v.grad()};
    Grads out(v.inst.operands.size());
    int64_t dim = normalize_dim(v.inst.attrs.get_or<int64_t>("dim", 0), rank_of(g));
    for (size_t k = 0; k < out.size(); ++k)
        if (v.needs(k)) out[k] = v.to(k, reshape(slice(g, dim, static_cast<int64_t>(k), 1), v.type(v.in(k)).sizes));
    return out;
}

/// Each axis twice: repeats, then the axis itself.
Sizes repeat_frame(const Sizes& from, const Sizes& to) {
    Sizes out;
    size_t lead = to.size() - from.size();
    for (size_t d = 0; d < to.size(); ++d) {
        int64_t own = d < lead ? 1 : from[d - lead];
        out.push_back(own == 0 ? 1 : to[d] / own);
        out.push_back(own);
    }
    return out;
}
V repeat(Composite& c) {
    V x = c.in(0);
    Sizes frame = repeat_frame(sizes_of(x), c.result().sizes);
    if (c.result().numel() == 0) return zeros(x, c.result().sizes);
    Sizes spread = frame;
    for (size_t d = 0; d < spread.size(); d += 2) spread[d] = 1;
    return reshape(expand(reshape(x, spread), frame), c.result().sizes);
}
V repeat_vjp(Vjp& v, V g) {
    Sizes own = v.type(v.in(0)).sizes;
    if (g.type().numel() == 0) return zeros(g, own);
    Sizes frame = repeat_frame(own, sizes_of(g));
    std::vector<int64_t> dims;
    for (size_t d = 0; d < frame.size(); d += 2) dims.push_back(static_cast<int64_t>(d));
    return reshape(sum(reshape(g, frame), dims), own);
}

std::vector<int64_t> normalized(std::vector<int64_t> dims, int64_t rank) {
    for (int64_t& d : dims) d = normalize_dim(d, rank);
    return dims;
}
V flipped(V x, const Attrs& a) {
    if (rank_of(x) == 0) return x;
    for (int64_t d : normalized(ints(a, "dims"), rank_of(x))) x = flip(x, d);
    return x;
}

V rolled(V x, const Attrs& a, int64_t direction) {
    auto shifts = ints(a, "shifts"), dims = ints(a, "dims");
    Sizes sizes = sizes_of(x);
    if (x.type().numel() == 0) return x;
    bool flat = dims.empty();
    if (flat) {
        x = reshape(x, {x.type().numel()});
        dims = {0};
    }
    dims = normalized(dims, rank_of(x));
    for (size_t k = 0; k < dims.size(); ++k) {
        int64_t n = sizes_of(x)[dims[k]], s = ((direction * shifts[k]) % n + n) % n;
        if (s != 0) x = join(*x.b, {slice(x, dims[k], n - s, s), slice(x, dims[k], 0, n - s)}, dims[k]);
    }
    return flat ? reshape(x, sizes) : x;
}

V rotated(V x, int64_t k, std::vector<int64_t> dims) {
    dims = normalized(dims, rank_of(x));
    switch ((k % 4 + 4) % 4) {
        case 1: return transpose(flip(x, dims[1]), dims[0], dims[1]);
        case 2: return flip(flip(x, dims[0]), dims[1]);
        case 3: return flip(transpose(x, dims[0], dims[1]), dims[1]);
        default: return x;
    }
}

/// Keeps the elements of a triangle: row index compared with column index.
V triangle(V x, bool lower, int64_t diagonal) {
    Sizes s = sizes_of(x);
    int64_t rows = s[s.size() - 2], cols = s.back();
    V row = reshape(arange(*x.b, rows), {rows, 1}), col = reshape(arange(*x.b, cols), {1, cols});
    V shifted = row + static_cast<double>(diagonal);
    V keep = lower ? le(col, shifted) : ge(col, shifted);
    // A number beside bools would make integers of them.
    if (dtype_of(x) == DType::Bool) return apply("bitwise_and"_op, x, keep);
    return where(keep, x, 0.0);
}
template <bool lower>
V triangle_row(Composite& c) {
    return triangle(c.in(0), lower, c.attrs().get_or<int64_t>("diagonal", 0));
}
template <bool lower>
V triangle_vjp(Vjp& v, V g) {
    return triangle(g, lower, v.inst.attrs.get_or<int64_t>("diagonal", 0));
}

V diag(Composite& c) {
    V x = c.in(0);
    int64_t k = c.attrs().get_or<int64_t>("diagonal", 0);
    if (rank_of(x) == 1) return insert(zeros(x, c.result().sizes), diagonal_layout(c.result().sizes, k, 0, 1), x);
    return extract(x, diagonal_layout(sizes_of(x), k, 0, 1));
}
V diag_vjp(Vjp& v, V g) {
    Sizes own = v.type(v.in(0)).sizes;
    int64_t k = v.inst.attrs.get_or<int64_t>("diagonal", 0);
    if (own.size() == 1) return extract(g, diagonal_layout(sizes_of(g), k, 0, 1));
    return insert(zeros(g, own), diagonal_layout(own, k, 0, 1), g);
}

Layout embed_layout(const Sizes& frame, const Attrs& a) {
    auto rank = static_cast<int64_t>(frame.size());
    return diagonal_layout(frame, a.get_or<int64_t>("offset", 0), normalize_dim(a.get_or<int64_t>("dim1", -2), rank),
                           normalize_dim(a.get_or<int64_t>("dim2", -1), rank));
}

/// The layout that the view row `view` gives over a whole value.
Layout layout_by(Op view, Builder& b, const Type& self, const Attrs& a) {
    (void)b;
    std::vector<Type> types = {self};
    std::vector<ScalarConstant> constants(1);
    return def(view).view(OpCall{view, types, constants, {}, a})[0].layout;
}
template <Op view>
V scattered(Composite& c) {
    V x = c.in(0);
    Layout l = layout_by(view, c.b, x.type(), c.attrs());
    return insert(x, l, cast(c.in(1), dtype_of(x)));
}
template <Op view>
Grads scattered_vjp(Vjp& v) {
    V g{&v.b, v.grad()};
    const Type self = v.type(v.in(0));
    Layout l = layout_by(view, v.b, self, v.inst.attrs);
    return {grad_of(v, 0, [&] { return insert(g, l, zeros(g, l.sizes)); }), grad_of(v, 1, [&] { return extract(g, l); })};
}

/// Positive pads put the value inside a larger one; negative ones cut.
struct Padding {
    std::vector<int64_t> from, length, to;  ///< per axis: kept elements of the operand, their place in the result
};
Padding padding_of(const Sizes& sizes, const std::vector<int64_t>& pad) {
    Padding p{std::vector<int64_t>(sizes.size(), 0), sizes, std::vector<int64_t>(sizes.size(), 0)};
    for (size_t i = 0; i < pad.size() / 2; ++i) {
        size_t d = sizes.size() - 1 - i;
        int64_t before = pad[2 * i], after = pad[2 * i + 1];
        p.from[d] = std::max<int64_t>(-before, 0);
        p.to[d] = std::max<int64_t>(before, 0);
        p.length[d] = std::max<int64_t>(sizes[d] - p.from[d] - std::max<int64_t>(-after, 0), 0);
    }
    return p;
}
Layout box(const Sizes& frame, const std::vector<int64_t>& start, const std::vector<int64_t>& length) {
    Layout l = Layout::contiguous(frame);
    l.sizes = length;
    if (element_count(length) > 0)
        for (size_t d = 0; d < frame.size(); ++d) l.offset += start[d] * l.strides[d];
    return l;
}
V padded(Composite& c) {
    V x = c.in(0);
    Padding p = padding_of(sizes_of(x), ints(c.attrs(), "pad"));
    V piece = extract(x, box(sizes_of(x), p.from, p.length));
    V around = {&c.b, c.b.full(dtype_of(x), c.result().sizes, c.in(1).id)};
    return insert(around, box(c.result().sizes, p.to, p.length), piece);
}
V padded_vjp(Vjp& v, V g) {
    Sizes own = v.type(v.in(0)).sizes;
    Padding p = padding_of(own, ints(v.inst.attrs, "pad"));
    V piece = extract(g, box(sizes_of(g), p.to, p.length));
    return insert(zeros(g, own), box(own, p.from, p.length), piece);
}

struct Interleave {
    Sizes own;
    int64_t dim, repeats;
};
Interleave interleave_of(const Type& t, const Attrs& a) {
    const AttrValue* d = a.find("dim");
    bool flat = !d || !std::holds_alternative<int64_t>(*d);
    Sizes own = flat || t.rank() == 0 ? Sizes{t.numel()} : t.sizes;
    return {own, flat ? 0 : normalize_dim(std::get<int64_t>(*d), t.rank()), a.get<int64_t>("repeats")};
}
V interleaved(Composite& c) {
    Interleave i = interleave_of(c.in(0).type(), c.attrs());
    if (c.result().numel() == 0) return zeros(c.in(0), c.result().sizes);
    Sizes spread = i.own;
    spread.insert(spread.begin() + i.dim + 1, i.repeats);
    return reshape(expand(unsqueeze(reshape(c.in(0), i.own), i.dim + 1), spread), c.result().sizes);
}
V interleaved_vjp(Vjp& v, V g) {
    const Type own = v.type(v.in(0));
    if (g.type().numel() == 0) return zeros(g, own.sizes);
    Interleave i = interleave_of(own, v.inst.attrs);
    Sizes spread = i.own;
    spread.insert(spread.begin() + i.dim + 1, i.repeats);
    return reshape(sum(reshape(g, spread), {i.dim + 1}), own.sizes);
}

/// Axis `dim` with its elements moved by k of 3.
V turned(V x, int64_t dim, int64_t k) { return join(*x.b, {slice(x, dim, k, 3 - k), slice(x, dim, 0, k)}, dim); }
V cross(V a, V b, int64_t given) {
    Sizes s = broadcast(sizes_of(a), sizes_of(b));
    int64_t dim = normalize_dim(given, static_cast<int64_t>(s.size()));
    a = expand(a, s);
    b = expand(b, s);
    return turned(a, dim, 1) * turned(b, dim, 2) - turned(a, dim, 2) * turned(b, dim, 1);
}

}  // namespace

Rows shape() {
    constexpr Lower C = Lower::Composite;
    return {
        {.name = "cat", .sig = "(T[] tensors, int dim=0) -> T", .lower = Lower::Concat, .infer = cat_result, .node = "CatBackward0",
         .vjp = cat_vjp, .run_time_sizes = true, .inplace = false, .method = false},
        {.name = "stack", .sig = "(T[] tensors, int dim=0) -> T", .lower = C, .infer = stack_result, .node = "StackBackward0",
         .vjp = stack_vjp, .decompose = composite<[](Composite& c) {
             int64_t dim = normalize_dim(c.attrs().get_or<int64_t>("dim", 0), c.result().rank());
             std::vector<V> parts;
             for (size_t k = 0; k < c.inst.operands.size(); ++k) parts.push_back(unsqueeze(cast(c.in(k), c.result().dtype), dim));
             return join(c.b, parts, dim);
         }>,
         .run_time_sizes = true, .inplace = false, .method = false},
        {.name = "repeat", .sig = "(T self, int[] repeats) -> T", .lower = C, .infer = repeat_result, .node = "RepeatBackward0",
         .vjp = gradients<repeat_vjp>, .decompose = composite<repeat>, .inplace = false, .function = false},
        {.name = "tile", .sig = "(T self, int[] dims) -> T", .lower = C, .infer = repeat_result, .node = "RepeatBackward0",
         .vjp = gradients<repeat_vjp>, .decompose = composite<repeat>, .inplace = false},
        {.name = "repeat_interleave", .sig = "(T self, int repeats, int? dim=None) -> T", .lower = C, .infer = repeat_interleave_result,
         .node = "ViewBackward0", .vjp = gradients<interleaved_vjp>, .decompose = composite<interleaved>, .inplace = false},
        {.name = "flip", .sig = "(T self, int[] dims) -> T", .lower = C, .infer = flip_result, .layout = LayoutRule::Like,
         .node = "FlipBackward0", .vjp = gradients<[](Vjp& v, V g) { return flipped(g, v.inst.attrs); }>,
         .decompose = composite<[](Composite& c) { return flipped(c.in(0), c.attrs()); }>, .inplace = false},
        {.name = "roll", .sig = "(T self, int[1] shifts, int[1]? dims=None) -> T", .lower = C, .infer = roll_result,
         .node = "RollBackward0", .vjp = gradients<[](Vjp& v, V g) { return rolled(g, v.inst.attrs, -1); }>,
         .decompose = composite<[](Composite& c) { return rolled(c.in(0), c.attrs(), 1); }>, .inplace = false},
        {.name = "rot90", .sig = "(T self, int k=1, int[] dims=[0,1]) -> T", .lower = C, .infer = rot90_result, .node = "Rot90Backward0",
         .vjp = gradients<[](Vjp& v, V g) { return rotated(g, -v.inst.attrs.get_or<int64_t>("k", 1), ints(v.inst.attrs, "dims")); }>,
         .decompose = composite<[](Composite& c) {
             return rotated(c.in(0), c.attrs().get_or<int64_t>("k", 1), ints(c.attrs(), "dims"));
         }>,
         .inplace = false},
        {.name = "tril", .sig = "(T self, int diagonal=0) -> T", .lower = C, .infer = triangle_result, .node = "TrilBackward0",
         .vjp = gradients<triangle_vjp<true>>, .decompose = composite<triangle_row<true>>},
        {.name = "triu", .sig = "(T self, int diagonal=0) -> T", .lower = C, .infer = triangle_result, .node = "TriuBackward0",
         .vjp = gradients<triangle_vjp<false>>, .decompose = composite<triangle_row<false>>},
        {.name = "diag", .sig = "(T self, int diagonal=0) -> T", .lower = C, .infer = diag_result,
         .node_of = [](const OpCall& c) { return c.types[0].rank() == 1 ? "DiagEmbedBackward0" : "DiagonalBackward0_copy"; },
         .vjp = gradients<diag_vjp>, .decompose = composite<diag>, .inplace = false},
        {.name = "diag_embed", .sig = "(T self, int offset=0, int dim1=-2, int dim2=-1) -> T", .lower = C, .infer = diag_embed_result,
         .node = "DiagEmbedBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return extract(g, embed_layout(sizes_of(g), v.inst.attrs)); }>,
         .decompose = composite<[](Composite& c) {
             return insert(zeros(c.in(0), c.result().sizes), embed_layout(c.result().sizes, c.attrs()), c.in(0));
         }>,
         .inplace = false},
        {.name = "diagonal_scatter", .sig = "(T self, T src, int offset=0, int dim1=0, int dim2=1) -> T", .lower = C,
         .infer = view_scatter_result, .node = "DiagonalScatterBackward0", .vjp = scattered_vjp<"diagonal"_op>,
         .decompose = composite<scattered<"diagonal"_op>>, .inplace = false},
        {.name = "select_scatter", .sig = "(T self, T src, int dim, int index) -> T", .lower = C, .infer = view_scatter_result,
         .node = "SelectScatterBackward0", .vjp = scattered_vjp<"select"_op>, .decompose = composite<scattered<"select"_op>>,
         .inplace = false},
        {.name = "slice_scatter", .sig = "(T self, T src, int dim=0, int? start=None, int? end=None, int step=1) -> T", .lower = C,
         .infer = view_scatter_result, .node = "SliceScatterBackward0", .vjp = scattered_vjp<"slice"_op>,
         .decompose = composite<scattered<"slice"_op>>, .inplace = false},
        {.name = "constant_pad_nd", .sig = "(T self, int[] pad, Scalar value=0) -> T", .lower = C, .infer = pad_result,
         .node = "ConstantPadNdBackward0", .vjp = gradients<padded_vjp>, .decompose = composite<padded>, .inplace = false,
         .method = false},
        {.name = "linalg_cross", .sig = "(T self, T other, *, int dim=-1) -> T", .lower = C, .infer = cross_result,
         .saves = {save_in(0, 2), save_in(1, 1)}, .node = "LinalgCrossBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return cross(in(v, 1), g, v.inst.attrs.get_or<int64_t>("dim", -1)); },
                          [](Vjp& v, V g) { return cross(g, in(v, 0), v.inst.attrs.get_or<int64_t>("dim", -1)); }>,
         .decompose = composite<[](Composite& c) { return cross(c.in(0), c.in(1), c.attrs().get_or<int64_t>("dim", -1)); }>,
         .inplace = false, .method = false, .function = false},
    };
}

}  // namespace sifr::rows
