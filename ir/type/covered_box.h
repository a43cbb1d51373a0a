#pragma once

#include <optional>

#include "ir/type/layout.h"

namespace sifr {

/// The box that has the same set of elements as `layout` in `frame`; which view axis walks where is not told (axis_of is
/// empty), so more layouts have one than with `box_in_frame`. Nothing for a layout without elements.
std::optional<Box> covered_box(const Layout& layout, const Sizes& frame);

}  // namespace sifr
