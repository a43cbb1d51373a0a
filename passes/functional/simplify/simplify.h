#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// Rewrites instructions into simpler equal ones; see simplify.cpp.
bool simplify(Functional& functional, PassContext& context);

}  // namespace sifr
