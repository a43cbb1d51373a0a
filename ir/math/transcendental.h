#pragma once

#include "ir/base/check.h"
#include "ir/loop/expr.h"
#include "ir/math/arithmetic.h"
#include "ir/math/error_function.h"
#include "ir/math/exponential.h"
#include "ir/math/hyperbolic.h"
#include "ir/math/inverse_trigonometry.h"
#include "ir/math/logarithm.h"
#include "ir/math/power.h"
#include "ir/math/special.h"
#include "ir/math/trigonometry.h"

namespace sifr::math {

/// The operators from Exp to Atan2, over any backend of arithmetic.h; `b` counts for Pow and Atan2 only.
template <class Ops>
typename Ops::V transcendental(Ops& ops, ScalarOp op, typename Ops::V a, typename Ops::V b) {
    Real<Ops> x{&ops, a}, y{&ops, b};
    switch (op) {
        case ScalarOp::Exp: return exp(x).v;
        case ScalarOp::Exp2: return exp2(x).v;
        case ScalarOp::Expm1: return expm1(x).v;
        case ScalarOp::Log: return log(x).v;
        case ScalarOp::Log2: return log2(x).v;
        case ScalarOp::Log10: return log10(x).v;
        case ScalarOp::Log1p: return log1p(x).v;
        case ScalarOp::Sin: return sin(x).v;
        case ScalarOp::Cos: return cos(x).v;
        case ScalarOp::Tan: return tan(x).v;
        case ScalarOp::Asin: return asin(x).v;
        case ScalarOp::Acos: return acos(x).v;
        case ScalarOp::Atan: return atan(x).v;
        case ScalarOp::Erf: return erf(x).v;
        case ScalarOp::Erfc: return erfc(x).v;
        case ScalarOp::Erfinv: return erfinv(x).v;
        case ScalarOp::Lgamma: return lgamma(x).v;
        case ScalarOp::Digamma: return digamma(x).v;
        case ScalarOp::Pow: return pow(x, y).v;
        case ScalarOp::Atan2: return atan2(x, y).v;
        case ScalarOp::Sinh: return sinh(x).v;
        case ScalarOp::Cosh: return cosh(x).v;
        case ScalarOp::Tanh: return tanh(x).v;
        case ScalarOp::Asinh: return asinh(x).v;
        case ScalarOp::Acosh: return acosh(x).v;
        case ScalarOp::Atanh: return atanh(x).v;
        default: SIFR_UNREACHABLE("'{}' is no transcendental operator", name_of(op));
    }
}

}  // namespace sifr::math
