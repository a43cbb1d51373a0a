#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// Writes composite rows in simpler ones; see decompose.cpp.
bool decompose(Functional& functional, PassContext& context);

}  // namespace sifr
