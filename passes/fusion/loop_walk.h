#pragma once

#include <functional>

#include "ir/loop/loop_ir.h"

namespace sifr {

/// Calls `visit` for each affine form below `block`: loop bounds, indices of loads and stores, positions of checks.
void for_each_affine(Kernel& kernel, Block& block, const std::function<void(Affine&)>& visit);
/// Calls `visit` once for each expression node that statements below `block` reach.
void for_each_expr(Kernel& kernel, Block& block, const std::function<void(Expr&)>& visit);

}  // namespace sifr
