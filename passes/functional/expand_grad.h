#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// Replaces every `backward` by the instructions that compute it; see expand_grad.cpp.
bool expand_grad(Functional& functional, PassContext& context);

}  // namespace sifr
