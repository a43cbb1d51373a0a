#include "ir/op/rows/rows.h"
#include "ir/op/rules/view_rules.h"

// Other layouts on the same storage. Later on each is an `extract`, whose gradient is an `insert_add` into zeros: no row here needs
// a rule of its own. `reshape`, `flatten`, `contiguous` are one of these or a copy, as the strides say; capture decides.

namespace sifr::rows {

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
