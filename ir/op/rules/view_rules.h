#pragma once

#include "ir/op/op_def.h"

// Layout rules of view rows: the new layout over the same storage, from that of operand 0.

namespace sifr::rules {

using Views = std::vector<ViewLayout>;

Views view_slice(const OpCall& call);      ///< x[start:end:step] along dim, bounds clamped
Views view_slice_at(const OpCall& call);   ///< a run-time start, a known length
Views view_select(const OpCall& call);
Views view_select_at(const OpCall& call);  ///< a run-time index
Views view_narrow(const OpCall& call);
Views view_view(const OpCall& call);       ///< `view(sizes)`: raises where a copy would be needed
Views view_transpose(const OpCall& call);
Views view_swapaxes(const OpCall& call);
Views view_alias(const OpCall& call);
Views view_t(const OpCall& call);
Views view_permute(const OpCall& call);
Views view_movedim(const OpCall& call);
Views view_expand(const OpCall& call);
Views view_squeeze(const OpCall& call);       ///< all axes of size 1
Views view_squeeze_dims(const OpCall& call);  ///< those of `dim` that have size 1
Views view_unsqueeze(const OpCall& call);
Views view_diagonal(const OpCall& call);
Views view_unfold(const OpCall& call);
Views view_as_strided(const OpCall& call);
Views view_split(const OpCall& call);
Views view_split_sizes(const OpCall& call);
Views view_chunk(const OpCall& call);
Views view_tensor_split(const OpCall& call);
Views view_unbind(const OpCall& call);
Views view_unflatten(const OpCall& call);
const char* squeeze_dims_node(const OpCall& call);

/// Resolves a -1 in `sizes` for `count` elements, with PyTorch's errors.
Sizes resolve_sizes(const Sizes& sizes, int64_t count);

}  // namespace sifr::rules
