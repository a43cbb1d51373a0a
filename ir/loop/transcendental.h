#pragma once

#include "ir/loop/expr.h"

namespace sifr {

/// The transcendental operators of one or two operands, as kernels define them.
float transcendental(ScalarOp op, float a, float b);
double transcendental(ScalarOp op, double a, double b);

}  // namespace sifr
