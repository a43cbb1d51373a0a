#pragma once

#include "passes/pass_table.h"

namespace sifr {

/// FUSED to PLAN: groups become launches, values become places in memory; see plan_memory.cpp.
Plan plan_memory(const Fused& fused, PassContext& context);

}  // namespace sifr
