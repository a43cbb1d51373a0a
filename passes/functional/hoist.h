#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// Moves what a loop computes anew each time, and equal each time, in front of it; see hoist.cpp.
bool hoist(Functional& functional, PassContext& context);

}  // namespace sifr
