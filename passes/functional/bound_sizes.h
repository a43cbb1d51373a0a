#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// Tensors of run-time sizes become tensors of their bounds; see bound_sizes.cpp.
bool bound_sizes(Functional& functional, PassContext& context);

}  // namespace sifr
