#pragma once

#include <vector>

#include "ir/plan/plan.h"

namespace sifr {

inline constexpr int64_t arena_alignment = 64;

/// Sets live ranges and offsets of all Arena buffers and the size of the arena. Each list of `adjacent` gets one range of memory,
/// in its order without gaps but for alignment.
void assign_offsets(Plan& plan, const std::vector<std::vector<PlanBuffer>>& adjacent = {});

}  // namespace sifr
