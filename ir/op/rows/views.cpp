#include <set>
#include <string>

#include "ir/op/rows/rows.h"
#include "ir/op/rules/structural_rules.h"
#include "ir/op/rules/view_rules.h"

// Other layouts on the same storage. Later on each is an `extract`, whose gradient is an `insert_add` into zeros: no row here needs
// a rule of its own. `reshape`, `flatten`, `contiguous` are one of these or a copy, as the strides say; capture decides.

namespace sifr::rows {
namespace {

/// Text that lives as long as the program: names of nodes are compared and kept as pointers.
const char* kept_text(const std::string& text) {
    static std::set<std::string> all;
    return all.insert(text).first->c_str();
}

}  // namespace

Rows views() {
    using namespace rules;
    constexpr Lower L = Lower::View;
    return {
        {.name = "slice", .sig = "(T self, int dim=0, int? start=None, int? end=None, int step=1) -> T", .lower = L, .view = view_slice,
         .node = "SliceBackward0", .method = false, .function = false},
        {.name = "slice.at", .sig = "(T self, i64 start, *, int dim, int length, int step=1) -> T", .lower = L, .view = view_slice_at,
         .node = "SliceBackward0", .method = false, .function = false},
        {.name = "select", .sig = "(T self, int dim, int index) -> T", .lower = L, .view = view_select, .node = "SelectBackward0"},
        {.name = "select.at", .sig = "(T self, i64 index, *, int dim) -> T", .lower = L, .view = view_select_at,
         .node = "SelectBackward0", .method = false, .function = false},
        {.name = "narrow", .sig = "(T self, int dim, int start, int length) -> T", .lower = L, .view = view_narrow,
         .node = "SliceBackward0"},
        {.name = "view", .sig = "(T self, int[] size) -> T", .lower = L, .view = view_view, .node = "ViewBackward0", .function = false},
        // A reshape that copied and then viewed: PyTorch names it apart, and its result is not a view of anything.
        {.name = "unsafe_view", .sig = "(T self, int[] size) -> T", .lower = L, .view = view_view, .node = "UnsafeViewBackward0",
         .method = false, .function = false},
        {.name = "transpose", .sig = "(T self, int dim0, int dim1) -> T", .lower = L, .view = view_transpose,
         .node = "TransposeBackward0"},
        {.name = "swapaxes", .sig = "(T self, int axis0, int axis1) -> T", .lower = L, .view = view_swapaxes,
         .node = "TransposeBackward0"},
        {.name = "t", .sig = "(T self) -> T", .lower = L, .view = view_t, .node = "TBackward0"},
        {.name = "permute", .sig = "(T self, int[] dims) -> T", .lower = L, .view = view_permute, .node = "PermuteBackward0"},
        {.name = "movedim", .sig = "(T self, any source, any destination) -> T", .lower = L, .view = view_movedim,
         .node = "PermuteBackward0"},
        {.name = "expand", .sig = "(T self, int[] size) -> T", .lower = L, .view = view_expand, .node = "ExpandBackward0",
         .function = false},
        {.name = "squeeze", .sig = "(T self) -> T", .lower = L, .view = view_squeeze, .node = "SqueezeBackward0"},
        {.name = "squeeze.dim", .sig = "(T self, any dim) -> T", .lower = L, .view = view_squeeze_dims, .node_of = squeeze_dims_node},
        {.name = "unsqueeze", .sig = "(T self, int dim) -> T", .lower = L, .view = view_unsqueeze, .node = "UnsqueezeBackward0"},
        {.name = "diagonal", .sig = "(T self, int offset=0, int dim1=0, int dim2=1) -> T", .lower = L, .view = view_diagonal,
         .node = "DiagonalBackward0"},
        {.name = "unfold", .sig = "(T self, int dimension, int size, int step) -> T", .lower = L, .view = view_unfold,
         .node = "UnfoldBackward0", .function = false},
        {.name = "as_strided", .sig = "(T self, int[] size, int[] stride, int? storage_offset=None) -> T", .lower = L,
         .view = view_as_strided, .node = "AsStridedBackward0"},
        {.name = "unflatten", .sig = "(T self, int dim, int[] sizes) -> T", .lower = L, .view = view_unflatten, .node = "ViewBackward0"},
        {.name = "alias", .sig = "(T self) -> T", .lower = L, .view = view_alias, .node = "AliasBackward0", .method = false,
         .function = false},
        // Of a tensor of run-time sizes, the whole memory of its bounds; and of such memory, the first places along `axes`.
        {.name = "whole_bound", .sig = "(T self) -> T", .lower = L, .infer = bounded_result, .view = view_alias, .node = "AliasBackward0",
         .method = false, .function = false},
        {.name = "narrow.run", .sig = "(T self, i64[] lengths, *, int[] axes, string node='SliceBackward0') -> T", .lower = L,
         .infer = typed_only, .view = view_alias,
         .node_of = [](const OpCall& c) { return kept_text(c.attrs.get<std::string>("node")); }, .method = false, .function = false},
        {.name = "split", .sig = "(T self, int split_size, int dim=0) -> T[]", .lower = L, .view = view_split, .multi_view = true,
         .node = "SplitBackward0"},
        {.name = "split.sizes", .sig = "(T self, int[] split_sizes, int dim=0) -> T[]", .lower = L, .view = view_split_sizes,
         .multi_view = true, .node = "SplitWithSizesBackward0"},
        {.name = "chunk", .sig = "(T self, int chunks, int dim=0) -> T[]", .lower = L, .view = view_chunk, .multi_view = true,
         .node = "SplitBackward0"},
        {.name = "tensor_split", .sig = "(T self, any indices_or_sections, int dim=0) -> T[]", .lower = L, .view = view_tensor_split,
         .multi_view = true, .node = "SliceBackward0"},
        {.name = "unbind", .sig = "(T self, int dim=0) -> T[]", .lower = L, .view = view_unbind, .multi_view = true,
         .node = "UnbindBackward0"},
    };
}

}  // namespace sifr::rows
