#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// Many fills at one point of the plan become one over one range of the arena; see fuse_zero_fills.cpp.
bool fuse_zero_fills(Plan& plan, PassContext& context);

}  // namespace sifr
