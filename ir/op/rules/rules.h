#pragma once

#include <span>
#include <vector>

#include "ir/op/op_def.h"

// Rules that rows share: result types and layouts. They throw ScriptError with PyTorch's text.

namespace sifr::rules {

/// Broadcast of all tensor types (numbers count as 0-d), with run-time extents.
Type broadcast_types(std::span<const Type> types, DType dtype);
/// Broadcast of the upper bounds of two types.
Sizes broadcast_bounds(const Type& a, const Type& b);

/// The layout of operand k: the captured one, or row-major over its sizes at later stages.
Layout layout_of(const OpCall& call, size_t k);
/// Where axis `axis` of operand 0 went in the view `to`, or -1 if it did not survive as a whole.
int kept_axis(const OpCall& call, size_t result, int axis);

}  // namespace sifr::rules
