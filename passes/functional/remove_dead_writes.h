#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// Takes out what is overwritten before anybody looks at it; see remove_dead_writes.cpp.
bool remove_dead_writes(Functional& functional, PassContext& context);

}  // namespace sifr
