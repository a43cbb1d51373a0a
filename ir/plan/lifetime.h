#pragma once

#include <vector>

#include "ir/plan/plan.h"

namespace sifr {

// The order of a plan: each step has a number when it begins; a For, While or If has another one when it ends, behind all
// steps of its blocks. A buffer that is touched inside of a loop and holds something from before it lives until the loop ends.

struct Lifetimes {
    struct Range {
        int64_t first = -1, last = -1;  ///< -1: never touched
    };
    std::vector<Range> ranges;                       ///< by PlanBuffer; Arena buffers that are no views
    std::vector<std::vector<PlanBuffer>> points_to;  ///< by PlanBuffer: the buffers (no views, not Rotating) that it may be
    int64_t end = 0;
};
Lifetimes lifetimes(const Plan& plan);

/// The buffer whose memory a view shows; the buffer itself if it is none.
PlanBuffer base_of(const Plan& plan, PlanBuffer b);

}  // namespace sifr
