#pragma once

#include "ir/op/op_def.h"

namespace sifr::rules {

std::vector<Type> mm_result(const OpCall& call);
std::vector<Type> mv_result(const OpCall& call);
std::vector<Type> dot_result(const OpCall& call);
std::vector<Type> bmm_result(const OpCall& call);
std::vector<Type> outer_result(const OpCall& call);
std::vector<Type> addmm_result(const OpCall& call);
std::vector<Type> addmv_result(const OpCall& call);
std::vector<Type> baddbmm_result(const OpCall& call);
std::vector<Type> addr_result(const OpCall& call);
/// Batches of square matrices: the operand's own type; `det`: without the last two axes; `slogdet`: two of those.
std::vector<Type> square_result(const OpCall& call);
std::vector<Type> det_result(const OpCall& call);
std::vector<Type> slogdet_result(const OpCall& call);
std::vector<Type> solve_result(const OpCall& call);
std::vector<Type> solve_triangular_result(const OpCall& call);
std::vector<Type> qr_result(const OpCall& call);
std::vector<Type> eigh_result(const OpCall& call);
std::vector<Type> svd_result(const OpCall& call);
std::vector<Type> lu_result(const OpCall& call);
std::vector<Type> lu_factor_result(const OpCall& call);

}  // namespace sifr::rules
