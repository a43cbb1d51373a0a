#pragma once

#include "ir/loop/expr.h"

namespace sifr {

/// The transcendental operators on plain numbers: the bits that compiled kernels give.
float eval_unary(ScalarOp op, float x);
double eval_unary(ScalarOp op, double x);
float eval_binary(ScalarOp op, float a, float b);
double eval_binary(ScalarOp op, double a, double b);

}  // namespace sifr
