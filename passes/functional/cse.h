#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// Computes equal things once; see cse.cpp.
bool eliminate_common_subexpressions(Functional& functional, PassContext& context);

}  // namespace sifr
