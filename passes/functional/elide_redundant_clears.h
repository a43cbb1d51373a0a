#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// Takes away fills of what is known to hold their value already; see elide_redundant_clears.cpp.
bool elide_redundant_clears(Functional& functional, PassContext& context);

}  // namespace sifr
