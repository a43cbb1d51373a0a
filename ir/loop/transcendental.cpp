#include "ir/loop/transcendental.h"

#include "ir/math/scalar_math.h"

namespace sifr {

float transcendental(ScalarOp op, float a, float b) { return arity(op) == 2 ? eval_binary(op, a, b) : eval_unary(op, a); }
double transcendental(ScalarOp op, double a, double b) { return arity(op) == 2 ? eval_binary(op, a, b) : eval_unary(op, a); }

}  // namespace sifr
