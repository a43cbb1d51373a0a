#pragma once

#include "ir/op/op_def.h"

// Result types of pointwise rows with errors of their own.

namespace sifr::rules {

/// The rule of rows without one: broadcast, dtype by the row's DTypeRule.
std::vector<Type> pointwise_result(const OpCall& call);
std::vector<Type> add_result(const OpCall& call);  ///< checks `alpha`
std::vector<Type> sub_result(const OpCall& call);
std::vector<Type> neg_result(const OpCall& call);

}  // namespace sifr::rules
