#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// FUNCTIONAL (differentiated, decomposed) to FUSED: every tensor instruction in a group, one kernel each; see fuse.cpp.
Fused fuse(const Functional& functional, PassContext& context);

}  // namespace sifr
