#pragma once

#include "ir/op/rules/gradient.h"

namespace sifr::rules {

/// The axes that a reduction removes, ascending: the attribute `dim` (None, an int or a list; None and [] mean all).
std::vector<int64_t> reduced_dims(const OpCall& call);
/// The sizes left, with 1 in place of the removed axes if the attribute `keepdim` is true.
Type reduced_type(const OpCall& call, const std::vector<int64_t>& dims, DType dtype);
/// sum, prod and their like: integers and bool are summed in i64; the attribute `dtype` decides where it is given.
std::vector<Type> sum_result(const OpCall& call);
std::vector<Type> mean_result(const OpCall& call);
std::vector<Type> var_result(const OpCall& call);
std::vector<Type> var_mean_result(const OpCall& call);
std::vector<Type> norm_result(const OpCall& call);
std::vector<Type> logical_result(const OpCall& call);       ///< any, all: Bool, or U8 of U8
std::vector<Type> extremum_result(const OpCall& call);      ///< amax, amin, max, min of all: of the operand's dtype; not empty
std::vector<Type> extremum_dim_result(const OpCall& call);  ///< max.dim: values and i64 indices
std::vector<Type> arg_result(const OpCall& call);           ///< argmax, argmin
std::vector<Type> aminmax_result(const OpCall& call);
std::vector<Type> softmax_result(const OpCall& call);
std::vector<Type> logsumexp_result(const OpCall& call);
std::vector<Type> scan_result(const OpCall& call);          ///< cumsum, cumprod: as sum
std::vector<Type> scan_extremum_result(const OpCall& call);
std::vector<Type> count_result(const OpCall& call);
std::vector<Type> selection_result(const OpCall& call);     ///< median.dim, mode, kthvalue: values and indices
std::vector<Type> median_result(const OpCall& call);
std::vector<Type> trace_result(const OpCall& call);

/// `g` of a reduced shape, with the removed axes back as 1, expanded to operand 0's sizes.
V expand_reduced(Vjp& v, V g);
/// The same without the expansion: broadcasts against operand 0.
V keep_reduced(Vjp& v, V g);
std::vector<int64_t> dims_of(Vjp& v);
/// What a variance subtracts from the number of elements: `unbiased` or `correction`.
double correction_of(const Attrs& a);
int64_t reduced_count(const Type& t, const std::vector<int64_t>& dims);
Grads sum_vjp(Vjp& v);
/// Spreads `g` evenly over the elements that equal the result.
Grads extremum_vjp(Vjp& v);
/// Result 0 was picked at result 1's indices along one axis.
Grads picked_vjp(Vjp& v);

}  // namespace sifr::rules
