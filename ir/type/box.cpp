// Layouts as boxes in their storage's frame, and what two of them have in common.

#include <algorithm>
#include <array>
#include <numeric>

#include "ir/base/check.h"
#include "ir/base/planted_fault.h"
#include "ir/type/covered_box.h"
#include "ir/type/layout.h"

namespace sifr {
namespace {

/// The frame axis that a walk of `distance` elements moves along: the one with fs <= |distance| < fs · size. A walk that
/// stays inside the frame and moves along one axis only can be no other.
std::optional<size_t> axis_of_distance(int64_t distance, const Sizes& frame, const Strides& frame_strides) {
    int64_t d = std::abs(distance);
    for (size_t a = 0; a < frame.size(); ++a)
        if (frame[a] > 1 && d >= frame_strides[a] && d < frame_strides[a] * frame[a])
            return d % frame_strides[a] == 0 ? std::optional(a) : std::nullopt;
    return std::nullopt;
}

/// Adds the run-time index terms of `layout` to the box and finds, per frame axis, how far they can move it. False when
/// one does not move along one axis, or may leave it.
bool place_terms(const Layout& layout, const Sizes& frame, const Strides& frame_strides, Box& box) {
    std::vector<int64_t> lowest(frame.size(), 0), highest(frame.size(), 0);
    std::vector<bool> unbounded(frame.size(), false);
    for (size_t k = 0; k < layout.index_scales.size(); ++k) {
        int64_t scale = layout.index_scales[k];
        int64_t extent = layout.index_extents.empty() ? 0 : layout.index_extents[k];
        if (scale == 0 || extent == 1) continue;
        std::optional<size_t> a = axis_of_distance(scale, frame, frame_strides);
        if (!a) return false;
        int64_t step = scale / frame_strides[*a];
        box.terms[*a].push_back({static_cast<int>(k), step});
        if (extent == 0) {
            unbounded[*a] = true;
        } else {
            lowest[*a] += std::min<int64_t>(0, step * (extent - 1));
            highest[*a] += std::max<int64_t>(0, step * (extent - 1));
        }
    }
    bool outermost = true;  // of the axes with more than one place
    for (size_t a = 0; a < frame.size(); ++a) {
        if (frame[a] == 1) continue;
        int64_t walk = box.steps[a] * (box.extents[a] - 1);
        int64_t first = box.starts[a] + std::min<int64_t>(0, walk) + lowest[a];
        int64_t last = box.starts[a] + std::max<int64_t>(0, walk) + highest[a];
        // An index of unknown range stays inside the storage at least, and that is the outermost axis's frame.
        if (unbounded[a] ? !outermost : first < 0 || last >= frame[a]) return false;
        outermost = false;
    }
    return true;
}

/// Starts of the box: the coordinates of `offset`. False when it is outside of the frame.
bool place_offset(int64_t offset, const Sizes& frame, const Strides& frame_strides, Box& box) {
    if (offset < 0 || offset >= element_count(frame)) return false;
    for (size_t a = 0; a < frame.size(); ++a) {
        box.starts[a] = offset / frame_strides[a];
        offset %= frame_strides[a];
    }
    return true;
}

Box point_box(const Sizes& frame) {
    return Box{Sizes(frame.size(), 0), Sizes(frame.size(), 1), Sizes(frame.size(), 1), std::vector<std::vector<Box::IndexTerm>>(frame.size()), {}};
}

}  // namespace

/// The box that covers the same elements as `layout`, where there is one: only the set counts, so an axis may be walked
/// the other way, a stride of 0 does not matter, one view axis may walk several frame axes and several one.
std::optional<Box> covered_box(const Layout& layout, const Sizes& frame) {
    if (layout.numel() == 0) return std::nullopt;
    struct Walk {
        int64_t count, stride;
    };
    std::vector<Walk> walks;
    int64_t offset = layout.offset;
    for (size_t d = 0; d < layout.sizes.size(); ++d) {
        if (layout.sizes[d] == 1 || layout.strides[d] == 0) continue;
        if (layout.strides[d] < 0) offset += layout.strides[d] * (layout.sizes[d] - 1);
        walks.push_back({layout.sizes[d], std::abs(layout.strides[d])});
    }
    std::sort(walks.begin(), walks.end(), [](const Walk& a, const Walk& b) { return a.stride < b.stride; });
    // Merge walks that continue or overlap each other without a gap (an unfolded axis covers a plain one).
    std::vector<Walk> merged;
    for (const Walk& w : walks) {
        if (!merged.empty()) {
            Walk& in = merged.back();
            if (w.stride % in.stride == 0 && w.stride / in.stride <= in.count) {
                in.count += w.stride / in.stride * (w.count - 1);
                continue;
            }
        }
        merged.push_back(w);
    }
    Strides frame_strides = contiguous_strides(frame);
    Box box = point_box(frame);
    if (!place_offset(offset, frame, frame_strides, box)) return std::nullopt;
    for (size_t k = 0; k < merged.size(); ++k) {
        Walk w = merged[k];
        std::optional<size_t> a = axis_of_distance(w.stride, frame, frame_strides);
        if (!a || box.extents[*a] != 1) return std::nullopt;
        int64_t step = w.stride / frame_strides[*a];
        if (box.starts[*a] + step * (w.count - 1) >= frame[*a]) {
            // Past the end of the axis: it must walk all of it evenly and go on along the next one outside.
            if (frame[*a] % step != 0 || box.starts[*a] >= step) return std::nullopt;
            int64_t inside = frame[*a] / step;
            if (w.count % inside != 0) return std::nullopt;
            merged.insert(merged.begin() + static_cast<ptrdiff_t>(k) + 1, Walk{w.count / inside, w.stride * inside});
            w.count = inside;
        }
        box.steps[*a] = step;
        box.extents[*a] = w.count;
    }
    if (!place_terms(layout, frame, frame_strides, box)) return std::nullopt;
    return box;
}

namespace {

/// start, start + step, … (count of them); step > 0.
struct Progression {
    int64_t start, step, count;
    [[nodiscard]] int64_t last() const { return start + step * (count - 1); }
    [[nodiscard]] bool holds(int64_t x) const { return x >= start && x <= last() && (x - start) % step == 0; }
};

bool inside(const Progression& a, const Progression& b) {
    return b.holds(a.start) && b.holds(a.last()) && (a.count == 1 || a.step % b.step == 0 || planted(Fault::CoverageIgnoresSteps));
}

bool disjoint(const Progression& a, const Progression& b) {
    int64_t lo = std::max(a.start, b.start), hi = std::min(a.last(), b.last());
    if (lo > hi || (planted(Fault::MissedOverlap) && a.step != b.step)) return true;
    int64_t g = std::gcd(a.step, b.step);
    if ((b.start - a.start) % g != 0) return true;
    // x = a.start + a.step · k with x ≡ b.start (mod b.step) repeats with lcm; the first one from lo on is found within
    // b.step / g steps of a.
    int64_t k = lo <= a.start ? 0 : (lo - a.start + a.step - 1) / a.step;
    for (int64_t tries = b.step / g; tries > 0; --tries, ++k) {
        int64_t x = a.start + a.step * k;
        if (x > hi) return true;
        if ((x - b.start) % b.step == 0) return false;
    }
    return true;
}

std::optional<Overlap> overlap_in(const Layout& a, const Layout& b, const Sizes& frame) {
    std::optional<Box> box_a = covered_box(a, frame), box_b = covered_box(b, frame);
    if (!box_a || !box_b) return std::nullopt;
    bool a_inside = true, b_inside = true;
    for (size_t axis = 0; axis < frame.size(); ++axis) {
        if (box_a->terms[axis] != box_b->terms[axis]) {
            // Where the run-time parts differ nothing is known along this axis.
            a_inside = b_inside = false;
            continue;
        }
        Progression pa{box_a->starts[axis], box_a->steps[axis], box_a->extents[axis]};
        Progression pb{box_b->starts[axis], box_b->steps[axis], box_b->extents[axis]};
        if (disjoint(pa, pb)) return Overlap::Disjoint;
        a_inside = a_inside && inside(pa, pb);
        b_inside = b_inside && inside(pb, pa);
    }
    if (a_inside && b_inside) return Overlap::Equal;
    if (a_inside) return Overlap::Inside;
    if (b_inside) return Overlap::Contains;
    return Overlap::May;
}

}  // namespace

std::optional<Box> box_in_frame(const Layout& layout, const Sizes& frame) {
    if (layout.numel() == 0) return std::nullopt;
    Strides frame_strides = contiguous_strides(frame);
    Box box = point_box(frame);
    if (!place_offset(layout.offset, frame, frame_strides, box)) return std::nullopt;
    box.axis_of.assign(layout.sizes.size(), -1);
    for (size_t d = 0; d < layout.sizes.size(); ++d) {
        if (layout.sizes[d] == 1 || layout.strides[d] == 0) continue;
        std::optional<size_t> a = axis_of_distance(layout.strides[d], frame, frame_strides);
        if (!a || box.extents[*a] != 1) return std::nullopt;
        box.steps[*a] = layout.strides[d] / frame_strides[*a];
        box.extents[*a] = layout.sizes[d];
        box.axis_of[d] = static_cast<int>(*a);
        int64_t last = box.starts[*a] + box.steps[*a] * (layout.sizes[d] - 1);
        if (last < 0 || last >= frame[*a]) return std::nullopt;
    }
    if (!place_terms(layout, frame, frame_strides, box)) return std::nullopt;
    return box;
}

Overlap overlap(const Layout& a, const Layout& b, const Sizes& frame) {
    bool a_empty = a.numel() == 0, b_empty = b.numel() == 0;
    if (a_empty || b_empty) return a_empty && b_empty ? Overlap::Equal : Overlap::Disjoint;
    std::optional<Overlap> in_frame = overlap_in(a, b, frame);
    if (in_frame && *in_frame != Overlap::May) return *in_frame;
    // What is no box in the frame may be one in the flat storage.
    return overlap_in(a, b, {element_count(frame)}).value_or(Overlap::May);
}

std::optional<Layout> compose(const Layout& outer, const Layout& inner) {
    Layout out{outer.offset, inner.sizes, inner.strides, outer.index_scales, outer.index_extents};
    auto add_indices = [&](auto scale_of) {
        // Extents are known for all indices or for none.
        bool known = outer.index_extents.size() == outer.index_scales.size() && inner.index_extents.size() == inner.index_scales.size();
        for (size_t k = 0; k < inner.index_scales.size(); ++k) out.index_scales.push_back(scale_of(k));
        if (known) out.index_extents.insert(out.index_extents.end(), inner.index_extents.begin(), inner.index_extents.end());
        else out.index_extents.clear();
    };
    if (outer.is_contiguous() || inner.numel() == 0) {
        if (!planted(Fault::ComposedOffset)) out.offset += inner.offset;
        add_indices([&](size_t k) { return inner.index_scales[k]; });
        return out;
    }
    // Outer axes that lie behind each other without a gap are one axis; in those the inner layout must be a box.
    Sizes frame;
    Strides strides;
    for (size_t d = 0; d < outer.sizes.size(); ++d) {
        if (outer.sizes[d] == 1) continue;
        if (!frame.empty() && strides.back() == outer.strides[d] * outer.sizes[d]) {
            frame.back() *= outer.sizes[d];
            strides.back() = outer.strides[d];
        } else {
            frame.push_back(outer.sizes[d]);
            strides.push_back(outer.strides[d]);
        }
    }
    // Each walk of the inner layout must stay on one of them; inside of one, everything is linear.
    Strides frame_strides = contiguous_strides(frame);
    Box at = point_box(frame);
    if (!place_offset(inner.offset, frame, frame_strides, at)) return std::nullopt;
    Sizes lowest = at.starts, highest = at.starts;
    std::vector<bool> unbounded(frame.size(), false);
    bool on_axes = true;
    /// The outer distance for `distance` of the inner layout, taken up to `count` - 1 times (0: unknown).
    auto walk = [&](int64_t distance, int64_t count) -> int64_t {
        if (distance == 0 || count == 1) return 0;
        std::optional<size_t> a = axis_of_distance(distance, frame, frame_strides);
        if (!a) {
            on_axes = false;
            return 0;
        }
        int64_t step = distance / frame_strides[*a];
        if (count == 0) unbounded[*a] = true;
        else (step < 0 ? lowest : highest)[*a] += step * (count - 1);
        return step * strides[*a];
    };
    for (size_t d = 0; d < inner.sizes.size(); ++d) {
        const int64_t stride = walk(inner.strides[d], inner.sizes[d]);
        out.strides[d] = planted(Fault::ComposedStride) ? inner.strides[d] : stride;
    }
    std::vector<int64_t> scales;
    for (size_t k = 0; k < inner.index_scales.size(); ++k)
        scales.push_back(walk(inner.index_scales[k], inner.index_extents.empty() ? 0 : inner.index_extents[k]));
    if (!on_axes) return std::nullopt;
    for (size_t a = 0; a < frame.size(); ++a) {
        out.offset += at.starts[a] * strides[a];
        if (unbounded[a] ? a != 0 : lowest[a] < 0 || highest[a] >= frame[a]) return std::nullopt;
    }
    add_indices([&](size_t k) { return scales[k]; });
    return out;
}

}  // namespace sifr
