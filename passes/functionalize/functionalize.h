#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// CAPTURED -> FUNCTIONAL; see functionalize.cpp.
Functional functionalize(const Captured& captured, PassContext& context);

}  // namespace sifr
