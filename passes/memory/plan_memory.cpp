// plan-memory: values become places in memory, groups become launches of kernels.
//
//   %b = group "pointwise" %a { … }     =>   launch @exp_mul(#a, #b)       or, if %a dies here,   launch @exp_mul(#a)
//
// It stands behind fuse, which decides what exists in memory at all, and in front of fuse-zero-fills, which needs the places.
// Scalar code and control flow are carried over as they are. planner.cpp walks the function; plan_groups.cpp has the launches and
// what is done in place; plan_control.cpp the carried buffers; arena.cpp the offsets.

#include "passes/memory/plan_memory.h"

#include "passes/memory/planner.h"

namespace sifr {

Plan plan_memory(const Fused& fused, PassContext&) { return Planner(fused.function).run(); }

}  // namespace sifr
