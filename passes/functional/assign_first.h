#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// The first of a few accumulations assigns; see assign_first.cpp.
bool assign_first(Functional& functional, PassContext& context);

}  // namespace sifr
