// Python's numbers at run time. Rows that the table of rows calls pure give Poison where Python would raise.

#include <algorithm>
#include <cmath>

#include "ir/interp/machine.h"

namespace sifr {
namespace {

using I = int64_t;
using F = double;

/// A call of the runtime as a value: the result, or the exception that waits for its use; rows with a check raise at once.
template <class T, class Call>
Results settled(const Execution& x, const Call& call) {
    T result{};
    sifr_status status = call(&result);
    if (status == SIFR_OK) return {result};
    if (def(x.inst.op).effect == Effect::Pure && status != SIFR_NOT_SUPPORTED) return {Poison{sifr_error_type(), cpp_str(sifr_error_text()), x.inst.location}};
    x.require(status);
    return {};
}

template <auto function>
Results ii_i(const Execution& x) {
    return settled<I>(x, [&](I* out) { return function(x.i64(0), x.i64(1), out); });
}
template <auto function>
Results i_i(const Execution& x) {
    return settled<I>(x, [&](I* out) { return function(x.i64(0), out); });
}
template <auto function>
Results f_i(const Execution& x) {
    return settled<I>(x, [&](I* out) { return function(x.f64(0), out); });
}
template <auto function>
Results ff_f(const Execution& x) {
    return settled<F>(x, [&](F* out) { return function(x.f64(0), x.f64(1), out); });
}
template <int function>
Results math1(const Execution& x) {
    return settled<F>(x, [&](F* out) { return sifr_math_call1(function, x.f64(0), out); });
}
template <int function>
Results math2(const Execution& x) {
    return settled<F>(x, [&](F* out) { return sifr_math_call2(function, x.f64(0), x.f64(1), out); });
}

// Python's min and max keep the first operand unless the second is strictly beyond it.
const NamedEvaluator evaluators[] = {
    {"iadd", ii_i<sifr_i64_add>},
    {"isub", ii_i<sifr_i64_sub>},
    {"imul", ii_i<sifr_i64_mul>},
    {"ifloordiv", ii_i<sifr_i64_floordiv>},
    {"imod", ii_i<sifr_i64_mod>},
    {"ipow", ii_i<sifr_i64_pow>},
    {"ishl", ii_i<sifr_i64_lshift>},
    {"ishr", ii_i<sifr_i64_rshift>},
    {"ineg", i_i<sifr_i64_neg>},
    {"iabs", i_i<sifr_i64_abs>},
    {"imin", [](const Execution& x) { return Results{std::min(x.i64(0), x.i64(1))}; }},
    {"imax", [](const Execution& x) { return Results{std::max(x.i64(0), x.i64(1))}; }},
    {"iand", [](const Execution& x) { return Results{x.i64(0) & x.i64(1)}; }},
    {"ior", [](const Execution& x) { return Results{x.i64(0) | x.i64(1)}; }},
    {"ixor", [](const Execution& x) { return Results{x.i64(0) ^ x.i64(1)}; }},
    {"inot", [](const Execution& x) { return Results{~x.i64(0)}; }},
    {"idiv",
     [](const Execution& x) {
         return settled<F>(x, [&](F* out) { return sifr_i64_truediv(x.i64(0), x.i64(1), out); });
     }},
    {"ieq", [](const Execution& x) { return Results{x.i64(0) == x.i64(1)}; }},
    {"ine", [](const Execution& x) { return Results{x.i64(0) != x.i64(1)}; }},
    {"ilt", [](const Execution& x) { return Results{x.i64(0) < x.i64(1)}; }},
    {"ile", [](const Execution& x) { return Results{x.i64(0) <= x.i64(1)}; }},
    {"igt", [](const Execution& x) { return Results{x.i64(0) > x.i64(1)}; }},
    {"ige", [](const Execution& x) { return Results{x.i64(0) >= x.i64(1)}; }},

    {"fadd", [](const Execution& x) { return Results{x.f64(0) + x.f64(1)}; }},
    {"fsub", [](const Execution& x) { return Results{x.f64(0) - x.f64(1)}; }},
    {"fmul", [](const Execution& x) { return Results{x.f64(0) * x.f64(1)}; }},
    {"fdiv", ff_f<sifr_f64_div>},
    {"ffloordiv", ff_f<sifr_f64_floordiv>},
    {"ffloormod", ff_f<sifr_f64_mod>},
    {"fminimum", [](const Execution& x) { return Results{x.f64(1) < x.f64(0) ? x.f64(1) : x.f64(0)}; }},
    {"fmaximum", [](const Execution& x) { return Results{x.f64(1) > x.f64(0) ? x.f64(1) : x.f64(0)}; }},
    {"fneg", [](const Execution& x) { return Results{-x.f64(0)}; }},
    {"fabs", [](const Execution& x) { return Results{std::fabs(x.f64(0))}; }},
    {"fround",
     [](const Execution& x) {
         return settled<F>(x, [&](F* out) { return sifr_f64_round_digits(x.f64(0), x.i64(1), out); });
     }},
    {"fpow", ff_f<sifr_f64_pow>},
    {"feq", [](const Execution& x) { return Results{x.f64(0) == x.f64(1)}; }},
    {"fne", [](const Execution& x) { return Results{x.f64(0) != x.f64(1)}; }},
    {"flt", [](const Execution& x) { return Results{x.f64(0) < x.f64(1)}; }},
    {"fle", [](const Execution& x) { return Results{x.f64(0) <= x.f64(1)}; }},
    {"fgt", [](const Execution& x) { return Results{x.f64(0) > x.f64(1)}; }},
    {"fge", [](const Execution& x) { return Results{x.f64(0) >= x.f64(1)}; }},

    {"fsqrt", math1<SIFR_MATH_SQRT>},
    {"fexp", math1<SIFR_MATH_EXP>},
    {"fexpm1", math1<SIFR_MATH_EXPM1>},
    {"flog", math1<SIFR_MATH_LOG>},
    {"flog2", math1<SIFR_MATH_LOG2>},
    {"flog10", math1<SIFR_MATH_LOG10>},
    {"flog1p", math1<SIFR_MATH_LOG1P>},
    {"fsin", math1<SIFR_MATH_SIN>},
    {"fcos", math1<SIFR_MATH_COS>},
    {"ftan", math1<SIFR_MATH_TAN>},
    {"fasin", math1<SIFR_MATH_ASIN>},
    {"facos", math1<SIFR_MATH_ACOS>},
    {"fatan", math1<SIFR_MATH_ATAN>},
    {"fsinh", math1<SIFR_MATH_SINH>},
    {"fcosh", math1<SIFR_MATH_COSH>},
    {"ftanh", math1<SIFR_MATH_TANH>},
    {"fasinh", math1<SIFR_MATH_ASINH>},
    {"facosh", math1<SIFR_MATH_ACOSH>},
    {"fatanh", math1<SIFR_MATH_ATANH>},
    {"ferf", math1<SIFR_MATH_ERF>},
    {"ferfc", math1<SIFR_MATH_ERFC>},
    {"fgamma", math1<SIFR_MATH_GAMMA>},
    {"flgamma", math1<SIFR_MATH_LGAMMA>},
    {"fcbrt", math1<SIFR_MATH_CBRT>},
    {"fexp2", math1<SIFR_MATH_EXP2>},
    {"fatan2", math2<SIFR_MATH_ATAN2>},
    {"fhypot", math2<SIFR_MATH_HYPOT>},
    {"fcopysign", math2<SIFR_MATH_COPYSIGN>},

    {"itof", [](const Execution& x) { return Results{static_cast<F>(x.i64(0))}; }},
    {"btoi", [](const Execution& x) { return Results{static_cast<I>(x.boolean(0))}; }},
    {"btof", [](const Execution& x) { return Results{x.boolean(0) ? 1.0 : 0.0}; }},
    {"itob", [](const Execution& x) { return Results{x.i64(0) != 0}; }},
    {"ftob", [](const Execution& x) { return Results{x.f64(0) != 0}; }},
    {"ftoi", f_i<sifr_f64_to_i64>},
    {"ffloor_i", f_i<sifr_math_floor>},
    {"fceil_i", f_i<sifr_math_ceil>},
    {"fround_i", f_i<sifr_f64_round>},

    {"band", [](const Execution& x) { return Results{x.boolean(0) && x.boolean(1)}; }},
    {"bor", [](const Execution& x) { return Results{x.boolean(0) || x.boolean(1)}; }},
    {"beq", [](const Execution& x) { return Results{x.boolean(0) == x.boolean(1)}; }},
    {"bnot", [](const Execution& x) { return Results{!x.boolean(0)}; }},
    {"sel", [](const Execution& x) { return Results{x.boolean(0) ? x.in[1] : x.in[2]}; }},
};

}  // namespace

std::span<const NamedEvaluator> scalar_evaluators() { return evaluators; }

}  // namespace sifr
