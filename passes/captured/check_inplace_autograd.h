#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// Finds in-place writes that a later backward cannot bear; see check_inplace_autograd.cpp. Throws CompileError when
/// hazards are errors, reports them otherwise (nothing under `trap`, and not what `repair` keeps). True if there is one.
bool check_inplace_autograd(const Captured& captured, PassContext& context);

}  // namespace sifr
