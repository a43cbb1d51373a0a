#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sifr {

using Sizes = std::vector<int64_t>;    ///< extents per axis, outermost first; an extent may be 0
using Strides = std::vector<int64_t>;  ///< in elements

int64_t element_count(const Sizes& sizes);  ///< 1 for no axes; raises (ScriptError) when it overflows int64
/// Row-major strides as PyTorch computes them: empty axes count as 1 (`empty(2,0,3)` has (3,3,1)).
Strides contiguous_strides(const Sizes& sizes);

/// Where the elements of a view lie in its storage: element (i0, i1, …) is at
/// `offset + Σ index_scales[k] · index_k + Σ strides[d] · i_d`, in elements. The index_k are run-time i64 values;
/// they stand beside the layout (View::indices in CAPTURED, trailing operands of extract and insert later on).
struct Layout {
    int64_t offset = 0;
    Sizes sizes;
    Strides strides;
    std::vector<int64_t> index_scales;
    /// index_k is in 0 … index_extents[k]-1: what the check in front of the access ensures, and what tells `x[1][i]` from
    /// `x.view(-1)[3 + i]`. As long as index_scales, or empty: not known.
    std::vector<int64_t> index_extents;

    bool operator==(const Layout&) const = default;
    [[nodiscard]] bool is_static() const { return index_scales.empty(); }
    [[nodiscard]] int64_t numel() const { return element_count(sizes); }
    /// Row-major and without gaps, wherever it starts (PyTorch's is_contiguous: axes of size 1 do not count).
    [[nodiscard]] bool is_contiguous() const;
    /// The whole of a storage of these sizes: offset 0, contiguous, same sizes.
    [[nodiscard]] bool is_whole(const Sizes& frame) const;
    /// Some axis of size > 1 has stride 0: PyTorch's `has_internal_overlap == Yes`.
    [[nodiscard]] bool has_zero_stride() const;
    /// A permutation of a contiguous layout (PyTorch's is_non_overlapping_and_dense).
    [[nodiscard]] bool is_dense() const;
    /// No two elements share a place. False also when that cannot be shown.
    [[nodiscard]] bool is_injective() const;
    [[nodiscard]] std::string str() const;  ///< `+4 (3,1)`

    static Layout contiguous(const Sizes& sizes);
};

/// A layout written as a box in its storage's frame (the sizes that the storage was made with, row-major):
/// on frame axis a it takes `extents[a]` places from `starts[a]` (plus run-time indices) by `steps[a]` (never 0, maybe < 0).
/// `axis_of[d]` is the frame axis that view axis d walks, or -1 for an axis that stays in place (stride 0 or size 1).
struct Box {
    struct IndexTerm {
        int index;      ///< which run-time index
        int64_t scale;  ///< its factor, in places along the axis
        bool operator==(const IndexTerm&) const = default;
    };
    Sizes starts, extents, steps;
    std::vector<std::vector<IndexTerm>> terms;  ///< per frame axis
    std::vector<int> axis_of;                   ///< per view axis
};

/// The box of `layout` in `frame`, where that is exact (every stride is a multiple of one frame stride and no axis
/// wraps, for all values of the run-time indices); nothing otherwise, and nothing for a layout without elements.
std::optional<Box> box_in_frame(const Layout& layout, const Sizes& frame);

enum class Overlap {
    Disjoint,  ///< no element in common
    Equal,     ///< the same set of elements
    Contains,  ///< the first has all elements of the second, and more
    Inside,    ///< the second has all elements of the first, and more
    May,       ///< anything; also whenever run-time indices differ and no range decides it
};
/// How the element sets of two layouts of one storage lie to each other. Exact where both are boxes with steps in the
/// frame; `May` otherwise. Run-time indices count as equal when they stand at the same position of both lists
/// (the caller passes layouts over the same index list).
Overlap overlap(const Layout& a, const Layout& b, const Sizes& frame);

/// `inner` is a layout over a tensor whose own layout in the storage is `outer` (taken row-major over outer.sizes): the
/// layout of the composition, if a single (offset, sizes, strides) expresses it. Indices: outer's first, then inner's.
std::optional<Layout> compose(const Layout& outer, const Layout& inner);

/// PyTorch's rule for `view`: strides of `sizes` over an existing layout, or nothing when a copy would be needed.
std::optional<Strides> view_strides(const Layout& layout, const Sizes& sizes);

}  // namespace sifr
