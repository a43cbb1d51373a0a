#include <limits>

#include "ir/op/rows/rows.h"
#include "ir/op/rules/pointwise_rules.h"
#include "ir/op/rules/scalar_expr.h"

// Comparisons, logic and bits. None of them has a gradient.

namespace sifr::rows {
namespace {

using namespace rules;

E is_close(Inputs x) {
    double rtol = x.attrs.get<double>("rtol"), atol = x.attrs.get<double>("atol");
    E a = x[0], b = x[1];
    E same = a == b;
    if (x.attrs.get_or("equal_nan", false) && a.is_float()) same = same || (a != a && b != b);
    // Integers are compared as doubles.
    if (!a.is_float()) {
        a = cast(a, DType::F64);
        b = cast(b, DType::F64);
    }
    E allowed = unary(ScalarOp::Abs, b * rtol) + atol;
    E actual = unary(ScalarOp::Abs, a - b);
    return same || (actual < std::numeric_limits<double>::infinity() && actual <= allowed);
}

/// Shift counts are the other operand's; PyTorch's `<<` of a bool promotes it to an integer first.
DType shift_dtype(const OpCall& call) {
    DType t = result_dtype(call.types, call.default_dtype);
    return t == DType::Bool ? DType::I64 : t;
}

}  // namespace

#define SIFR_COMPARISON(op) \
    .sig = "(T self, N other) -> T", .lower = P, .dtype = DTypeRule::Compare, .layout = Ew, \
     .scalar = binary_body<ScalarOp::op>
#define SIFR_LOGICAL(formula) \
    .sig = "(T self, T other) -> T", .lower = P, .dtype = DTypeRule::Logical, .layout = Ew, .scalar = body<formula>
#define SIFR_BITWISE(op, kernel) \
    .sig = "(T self, N other) -> T", .lower = P, .infer = refusing<kernel, Floats>, .layout = Ew, \
     .scalar = binary_body<ScalarOp::op>

Rows pointwise_compare() {
    constexpr Lower P = Lower::Pointwise;
    constexpr LayoutRule Ew = LayoutRule::Elementwise;
    return {
        {.name = "eq", SIFR_COMPARISON(Eq)},
        {.name = "ne", SIFR_COMPARISON(Ne)},
        {.name = "lt", SIFR_COMPARISON(Lt)},
        {.name = "le", SIFR_COMPARISON(Le)},
        {.name = "gt", SIFR_COMPARISON(Gt)},
        {.name = "ge", SIFR_COMPARISON(Ge)},
        {.name = "isclose", .sig = "(T self, T other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> T", .lower = P,
         .infer = same_dtype_result, .dtype = DTypeRule::Compare, .layout = Ew, .scalar = body<is_close>, .inplace = false},

        {.name = "logical_and", SIFR_LOGICAL([](Inputs x) { return x[0] && x[1]; })},
        {.name = "logical_or", SIFR_LOGICAL([](Inputs x) { return x[0] || x[1]; })},
        {.name = "logical_xor", SIFR_LOGICAL([](Inputs x) { return x[0] != x[1]; })},
        {.name = "logical_not", .sig = "(T self) -> T", .lower = P, .dtype = DTypeRule::Logical, .layout = Ew,
         .scalar = unary_body<ScalarOp::Not>},

        {.name = "bitwise_and", SIFR_BITWISE(And, "bitwise_and_cpu")},
        {.name = "bitwise_or", SIFR_BITWISE(Or, "bitwise_or_cpu")},
        {.name = "bitwise_xor", SIFR_BITWISE(Xor, "bitwise_xor_cpu")},
        {.name = "bitwise_not", .sig = "(T self) -> T", .lower = P, .infer = bitwise_not_result, .layout = Ew,
         .scalar = unary_body<ScalarOp::Not>},
        {.name = "bitwise_left_shift", .sig = "(T self, N other) -> T", .lower = P, .infer = refusing<"lshift_cpu", Floats>,
         .compute_dtype = shift_dtype, .layout = Ew, .scalar = binary_body<ScalarOp::Shl>},
        {.name = "bitwise_right_shift", .sig = "(T self, N other) -> T", .lower = P, .infer = refusing<"rshift_cpu", Floats>,
         .compute_dtype = shift_dtype, .layout = Ew, .scalar = binary_body<ScalarOp::Shr>},
    };
}
#undef SIFR_COMPARISON
#undef SIFR_LOGICAL
#undef SIFR_BITWISE

}  // namespace sifr::rows
