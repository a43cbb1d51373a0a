#pragma once

#include "ir/func/function.h"
#include "ir/op/rules/reduction_rules.h"

namespace sifr {

/// The one axis that a reduction runs along, once prepare_for_fusion has seen it.
inline int reduced_axis(const Function& f, const Inst& inst) {
    return static_cast<int>(rules::reduced_dims(InstCall(f, inst)).at(0));
}

/// Nothing but axes of size 1 stands behind the axis: the order of its reduction is Lanes.
inline bool is_innermost(const Sizes& sizes, int axis) {
    for (size_t d = static_cast<size_t>(axis) + 1; d < sizes.size(); ++d) {
        if (sizes[d] != 1) return false;
    }
    return true;
}

}  // namespace sifr
