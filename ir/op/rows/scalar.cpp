#include "ir/op/rows/rows.h"
#include "ir/op/rules/structural_rules.h"

// Python's numbers at run time: i64, f64, bool, with Python's semantics.

namespace sifr::rows {

Rows scalar() {
    using namespace rules;
    constexpr Lower L = Lower::Scalar;
    constexpr Effect C = Effect::Check;
    return {
        // Integers: 64 bits; an overflow raises where a result is used. Division by zero and negative shifts have a `check` in front.
        {.name = "iadd", .sig = "(i64 a, i64 b) -> i64", .lower = L, .runtime = "sifr_i64_add"},
        {.name = "isub", .sig = "(i64 a, i64 b) -> i64", .lower = L, .runtime = "sifr_i64_sub"},
        {.name = "imul", .sig = "(i64 a, i64 b) -> i64", .lower = L, .runtime = "sifr_i64_mul"},
        {.name = "ifloordiv", .sig = "(i64 a, i64 b) -> i64", .lower = L, .runtime = "sifr_i64_floordiv"},
        {.name = "imod", .sig = "(i64 a, i64 b) -> i64", .lower = L, .runtime = "sifr_i64_mod"},
        {.name = "ipow", .sig = "(i64 a, i64 b) -> i64", .lower = L, .runtime = "sifr_i64_pow"},
        {.name = "imin", .sig = "(i64 a, i64 b) -> i64", .lower = L},
        {.name = "imax", .sig = "(i64 a, i64 b) -> i64", .lower = L},
        {.name = "iand", .sig = "(i64 a, i64 b) -> i64", .lower = L},
        {.name = "ior", .sig = "(i64 a, i64 b) -> i64", .lower = L},
        {.name = "ixor", .sig = "(i64 a, i64 b) -> i64", .lower = L},
        {.name = "ishl", .sig = "(i64 a, i64 b) -> i64", .lower = L, .runtime = "sifr_i64_lshift"},
        {.name = "ishr", .sig = "(i64 a, i64 b) -> i64", .lower = L, .runtime = "sifr_i64_rshift"},
        {.name = "ineg", .sig = "(i64 a) -> i64", .lower = L, .runtime = "sifr_i64_neg"},
        {.name = "iabs", .sig = "(i64 a) -> i64", .lower = L, .runtime = "sifr_i64_abs"},
        {.name = "inot", .sig = "(i64 a) -> i64", .lower = L},
        {.name = "idiv", .sig = "(i64 a, i64 b) -> f64", .lower = L, .runtime = "sifr_i64_truediv"},
        {.name = "ieq", .sig = "(i64 a, i64 b) -> b8", .lower = L},
        {.name = "ine", .sig = "(i64 a, i64 b) -> b8", .lower = L},
        {.name = "ilt", .sig = "(i64 a, i64 b) -> b8", .lower = L},
        {.name = "ile", .sig = "(i64 a, i64 b) -> b8", .lower = L},
        {.name = "igt", .sig = "(i64 a, i64 b) -> b8", .lower = L},
        {.name = "ige", .sig = "(i64 a, i64 b) -> b8", .lower = L},

        // Floats. Division by zero has a `check` in front.
        {.name = "fadd", .sig = "(f64 a, f64 b) -> f64", .lower = L},
        {.name = "fsub", .sig = "(f64 a, f64 b) -> f64", .lower = L},
        {.name = "fmul", .sig = "(f64 a, f64 b) -> f64", .lower = L},
        {.name = "fdiv", .sig = "(f64 a, f64 b) -> f64", .lower = L, .runtime = "sifr_f64_div"},
        {.name = "ffloordiv", .sig = "(f64 a, f64 b) -> f64", .lower = L, .runtime = "sifr_f64_floordiv"},
        {.name = "ffloormod", .sig = "(f64 a, f64 b) -> f64", .lower = L, .runtime = "sifr_f64_mod"},
        {.name = "fminimum", .sig = "(f64 a, f64 b) -> f64", .lower = L},
        {.name = "fmaximum", .sig = "(f64 a, f64 b) -> f64", .lower = L},
        {.name = "fneg", .sig = "(f64 a) -> f64", .lower = L},
        {.name = "fabs", .sig = "(f64 a) -> f64", .lower = L},
        {.name = "fround", .sig = "(f64 a, i64 digits) -> f64", .lower = L, .effect = C, .runtime = "sifr_f64_round_digits"},
        {.name = "fpow", .sig = "(f64 a, f64 b) -> f64", .lower = L, .effect = C, .runtime = "sifr_f64_pow"},
        {.name = "feq", .sig = "(f64 a, f64 b) -> b8", .lower = L},
        {.name = "fne", .sig = "(f64 a, f64 b) -> b8", .lower = L},
        {.name = "flt", .sig = "(f64 a, f64 b) -> b8", .lower = L},
        {.name = "fle", .sig = "(f64 a, f64 b) -> b8", .lower = L},
        {.name = "fgt", .sig = "(f64 a, f64 b) -> b8", .lower = L},
        {.name = "fge", .sig = "(f64 a, f64 b) -> b8", .lower = L},

        // Python's math module: libm, with its domain and range errors.
        {.name = "fsqrt", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fexp", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fexpm1", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "flog", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "flog2", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "flog10", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "flog1p", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fsin", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fcos", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "ftan", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fasin", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "facos", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fatan", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fsinh", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fcosh", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "ftanh", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fasinh", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "facosh", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fatanh", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "ferf", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "ferfc", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fgamma", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "flgamma", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fcbrt", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fexp2", .sig = "(f64 a) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call1"},
        {.name = "fatan2", .sig = "(f64 a, f64 b) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call2"},
        {.name = "fhypot", .sig = "(f64 a, f64 b) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call2"},
        {.name = "fcopysign", .sig = "(f64 a, f64 b) -> f64", .lower = L, .effect = C, .runtime = "sifr_math_call2"},

        // Conversions. To an integer: ValueError for NaN, OverflowError for infinities and past 64 bits.
        {.name = "itof", .sig = "(i64 a) -> f64", .lower = L},
        {.name = "btoi", .sig = "(b8 a) -> i64", .lower = L},
        {.name = "btof", .sig = "(b8 a) -> f64", .lower = L},
        {.name = "itob", .sig = "(i64 a) -> b8", .lower = L},
        {.name = "ftob", .sig = "(f64 a) -> b8", .lower = L},
        {.name = "ftoi", .sig = "(f64 a) -> i64", .lower = L, .effect = C, .runtime = "sifr_f64_to_i64"},
        {.name = "ffloor_i", .sig = "(f64 a) -> i64", .lower = L, .effect = C, .runtime = "sifr_math_floor"},
        {.name = "fceil_i", .sig = "(f64 a) -> i64", .lower = L, .effect = C, .runtime = "sifr_math_ceil"},
        {.name = "fround_i", .sig = "(f64 a) -> i64", .lower = L, .effect = C, .runtime = "sifr_f64_round"},

        {.name = "band", .sig = "(b8 a, b8 b) -> b8", .lower = L},
        {.name = "bor", .sig = "(b8 a, b8 b) -> b8", .lower = L},
        {.name = "beq", .sig = "(b8 a, b8 b) -> b8", .lower = L},
        {.name = "bnot", .sig = "(b8 a) -> b8", .lower = L},
        {.name = "sel", .sig = "(b8 condition, V a, V b) -> V", .lower = L, .infer = select_result},
    };
}

}  // namespace sifr::rows
