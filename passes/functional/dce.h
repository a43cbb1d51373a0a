#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// Takes out what nobody reads; see dce.cpp.
bool eliminate_dead_code(Functional& functional, PassContext& context);

}  // namespace sifr
