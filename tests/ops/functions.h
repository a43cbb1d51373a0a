#pragma once

#include <cmath>
#include <limits>

#include "ir/loop/expr.h"

namespace sifr::test {

/// The functions of one argument that have a long double counterpart.
struct RealFunction {
    ScalarOp op;
    const char* name;
    long double (*exact)(long double);
};
inline const RealFunction real_functions[] = {
    {ScalarOp::Exp, "exp", expl},       {ScalarOp::Exp2, "exp2", exp2l},    {ScalarOp::Expm1, "expm1", expm1l}, {ScalarOp::Log, "log", logl},
    {ScalarOp::Log2, "log2", log2l},    {ScalarOp::Log10, "log10", log10l}, {ScalarOp::Log1p, "log1p", log1pl}, {ScalarOp::Sin, "sin", sinl},
    {ScalarOp::Cos, "cos", cosl},       {ScalarOp::Tan, "tan", tanl},       {ScalarOp::Asin, "asin", asinl},    {ScalarOp::Acos, "acos", acosl},
    {ScalarOp::Atan, "atan", atanl},    {ScalarOp::Sinh, "sinh", sinhl},    {ScalarOp::Cosh, "cosh", coshl},    {ScalarOp::Tanh, "tanh", tanhl},
    {ScalarOp::Asinh, "asinh", asinhl}, {ScalarOp::Acosh, "acosh", acoshl}, {ScalarOp::Atanh, "atanh", atanhl}, {ScalarOp::Erf, "erf", erfl},
    {ScalarOp::Erfc, "erfc", erfcl},
};

/// The distance in units of the last place of T at `want`; infinite where only one of the two is NaN or infinite.
template <class T>
double units_apart(T got, long double want) {
    constexpr int digits = std::numeric_limits<T>::digits, lowest = std::numeric_limits<T>::min_exponent;
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : HUGE_VAL;
    if (std::isinf(got) || std::fabs(want) > std::numeric_limits<T>::max()) return got == static_cast<T>(want) ? 0 : HUGE_VAL;
    int e = 0;
    std::frexp(want, &e);
    return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / std::ldexp(1.0L, (e > lowest ? e : lowest) - digits));
}

}  // namespace sifr::test
