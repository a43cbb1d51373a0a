#pragma once

#include "ir/op/op_def.h"

namespace sifr::rules {

/// Attributes `sizes` and `dtype`; without a dtype the default one.
std::vector<Type> sized_result(const OpCall& call);
/// As sized_result; without a dtype that of the value (a float: the default dtype).
std::vector<Type> full_result(const OpCall& call);
std::vector<Type> arange_result(const OpCall& call);
std::vector<Type> linspace_result(const OpCall& call);
std::vector<Type> eye_result(const OpCall& call);
/// A number as a 0-d tensor, several as a tensor of `sizes`.
std::vector<Type> scalar_tensor_result(const OpCall& call);
std::vector<Type> triangle_indices_result(const OpCall& call);
/// Broadcast of the operands in their promoted floating dtype.
std::vector<Type> broadcast_float_result(const OpCall& call);
/// The number that a constant holds, as a double; NotSupported when it is known only at run time.
double known_number(const OpCall& call, size_t operand, const char* what);
const char* full_node(const OpCall& call);

}  // namespace sifr::rules
