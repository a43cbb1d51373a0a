// Rules for `extract` and `insert`: reads and writes at layouts of a frame.

#include <algorithm>
#include <numeric>

#include "passes/functional/simplify/rules.h"

namespace sifr::simplify_rules {
namespace {

std::vector<ValueId> indices_of(const Inst& inst, size_t first) { return {inst.operands.begin() + static_cast<ptrdiff_t>(first), inst.operands.end()}; }

/// A layout that walks the whole frame, each place once: the axes of the view in the order of memory.
std::optional<std::vector<int>> permutation_of_whole(const Layout& layout, const Sizes& frame) {
    if (!layout.is_static() || layout.offset != 0 || layout.numel() != element_count(frame) || layout.numel() == 0 || !layout.is_dense()) return std::nullopt;
    std::vector<int> order(layout.sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return layout.strides[static_cast<size_t>(a)] > layout.strides[static_cast<size_t>(b)]; });
    return order;
}

}  // namespace

std::optional<Layout> relative_layout(const Layout& outer, const Layout& inner, const Sizes& frame) {
    if (!outer.is_static() || !inner.is_static()) return std::nullopt;
    auto o = box_in_frame(outer, frame), i = box_in_frame(inner, frame);
    if (!o || !i) return std::nullopt;
    Strides piece = contiguous_strides(outer.sizes);
    // The stride of the piece along each frame axis; 0 where the outer box stays in place.
    std::vector<int64_t> along(frame.size(), 0);
    for (size_t d = 0; d < o->axis_of.size(); ++d) {
        if (o->axis_of[d] >= 0) along[static_cast<size_t>(o->axis_of[d])] = piece[d];
        else if (outer.sizes[d] > 1) return std::nullopt;
    }
    Layout out;
    out.sizes = inner.sizes;
    out.strides.assign(inner.sizes.size(), 0);
    for (size_t a = 0; a < frame.size(); ++a) {
        int64_t from = i->starts[a] - o->starts[a];
        if (from % o->steps[a] != 0 || i->steps[a] % o->steps[a] != 0) return std::nullopt;
        int64_t first = from / o->steps[a], last = first + (i->extents[a] - 1) * (i->steps[a] / o->steps[a]);
        if (std::min(first, last) < 0 || std::max(first, last) >= o->extents[a]) return std::nullopt;
        if (along[a] == 0 && (first != 0 || last != 0)) return std::nullopt;
        out.offset += first * along[a];
    }
    for (size_t d = 0; d < i->axis_of.size(); ++d)
        if (int a = i->axis_of[d]; a >= 0) out.strides[d] = along[static_cast<size_t>(a)] * (i->steps[static_cast<size_t>(a)] / o->steps[static_cast<size_t>(a)]);
    return out;
}

std::optional<ValueId> extract(Context& c) {
    ValueId from = c.inst.operands[0];
    const Layout& layout = c.inst.attrs.get<Layout>("layout");
    const Sizes& frame = c.f.type(from).sizes;
    if (layout.is_whole(frame)) return from;
    if (layout.numel() == 0) return std::nullopt;

    // A piece of a fill is a smaller fill.
    if (const Inst* fill = c.made_by(from, "full"_op)) {
        Attrs attributes = fill->attrs;
        attributes.set("sizes", layout.sizes);
        attributes.set("dtype", c.f.type(from).dtype);
        return c.b.emit("full"_op, {fill->operands[0]}, attributes);
    }
    if (const Inst* inner = c.made_by(from, "extract"_op)) {
        // The inner layout is taken row-major over the piece; where strides cannot express both, they stay apart.
        if (std::optional<Layout> both = compose(inner->attrs.get<Layout>("layout"), layout)) {
            ValueId source = inner->operands[0];
            std::vector<ValueId> indices = indices_of(*inner, 1);
            for (ValueId v : indices_of(c.inst, 1)) indices.push_back(v);
            return c.b.extract(source, *both, indices);
        }
    }
    if (const Inst* write = c.made_by(from, "insert"_op)) {
        const Layout at = write->attrs.get<Layout>("layout");
        ValueId base = write->operands[0], piece = write->operands[1];
        std::vector<ValueId> indices = indices_of(c.inst, 1);
        if (at == layout && indices_of(*write, 2) == indices && at.is_injective()) return piece;
        if (at.is_static() && layout.is_static()) {
            if (overlap(at, layout, frame) == Overlap::Disjoint) return c.b.extract(base, layout);
            if (at.is_injective())
                if (std::optional<Layout> inside = relative_layout(at, layout, frame)) return c.b.extract(piece, *inside);
        }
    }
    return std::nullopt;
}

std::optional<ValueId> insert(Context& c) {
    ValueId into = c.inst.operands[0], piece = c.inst.operands[1];
    const Layout layout = c.inst.attrs.get<Layout>("layout");
    const Sizes frame = c.f.type(into).sizes;
    if (layout.numel() == 0) return into;
    if (layout.is_whole(frame)) return piece;
    if (std::optional<std::vector<int>> order = permutation_of_whole(layout, frame)) {
        ValueId v = c.b.permute(piece, *order);
        return c.f.type(v).sizes == frame ? v : c.b.reshape(v, frame);
    }
    std::vector<ValueId> indices = indices_of(c.inst, 2);
    // Writing back what stands there.
    if (const Inst* read = c.made_by(piece, "extract"_op); read && read->operands[0] == into && read->attrs.get<Layout>("layout") == layout && indices_of(*read, 1) == indices && layout.is_injective())
        return into;
    return std::nullopt;
}

}  // namespace sifr::simplify_rules
