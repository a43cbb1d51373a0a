#pragma once

#include "ir/op/rules/gradient.h"

namespace sifr::rules {

/// The axes that a reduction removes, ascending: the attribute `dim` (None, an int or a list; None and [] mean all).
std::vector<int64_t> reduced_dims(const OpCall& call);
/// The sizes left, with 1 in place of the removed axes if the attribute `keepdim` is true.
Type reduced_type(const OpCall& call, const std::vector<int64_t>& dims, DType dtype);
/// sum, prod and their like: integers and bool are summed in i64; the attribute `dtype` decides where it is given.
std::vector<Type> sum_result(const OpCall& call);

/// `g` of a reduced shape, with the removed axes back as 1, expanded to operand 0's sizes.
V expand_reduced(Vjp& v, V g);
Grads sum_vjp(Vjp& v);

}  // namespace sifr::rules
