#include "ir/loop/transcendental.h"

#include <cmath>

#include "ir/base/check.h"

namespace sifr {

namespace {
template <class T>
T evaluate(ScalarOp op, T a, T b) {
    switch (op) {
        case ScalarOp::Exp: return std::exp(a);
        case ScalarOp::Exp2: return std::exp2(a);
        case ScalarOp::Expm1: return std::expm1(a);
        case ScalarOp::Log: return std::log(a);
        case ScalarOp::Log2: return std::log2(a);
        case ScalarOp::Log10: return std::log10(a);
        case ScalarOp::Log1p: return std::log1p(a);
        case ScalarOp::Sin: return std::sin(a);
        case ScalarOp::Cos: return std::cos(a);
        case ScalarOp::Tan: return std::tan(a);
        case ScalarOp::Asin: return std::asin(a);
        case ScalarOp::Acos: return std::acos(a);
        case ScalarOp::Atan: return std::atan(a);
        case ScalarOp::Sinh: return std::sinh(a);
        case ScalarOp::Cosh: return std::cosh(a);
        case ScalarOp::Tanh: return std::tanh(a);
        case ScalarOp::Asinh: return std::asinh(a);
        case ScalarOp::Acosh: return std::acosh(a);
        case ScalarOp::Atanh: return std::atanh(a);
        case ScalarOp::Erf: return std::erf(a);
        case ScalarOp::Erfc: return std::erfc(a);
        case ScalarOp::Pow: return std::pow(a, b);
        case ScalarOp::Atan2: return std::atan2(a, b);
        default: throw InternalError(fmt::format("{} of a float has no evaluation", name_of(op)));
    }
}
}  // namespace

float transcendental(ScalarOp op, float a, float b) { return evaluate(op, a, b); }
double transcendental(ScalarOp op, double a, double b) { return evaluate(op, a, b); }

}  // namespace sifr
