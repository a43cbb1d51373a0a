#pragma once

#include <optional>

#include "ir/type/layout.h"

namespace sifr {

/// The frame of a storage whose first tensor in the text has this layout: the sizes, outermost axis first, when the layout
/// is a permutation of a row-major one from offset 0. Nothing otherwise: then the text spells the frame.
std::optional<Sizes> derived_frame(const Layout& layout);

}  // namespace sifr
