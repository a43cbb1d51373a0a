#include "ir/op/rows/rows.h"
#include "ir/op/rules/gradient.h"
#include "ir/op/rules/pointwise_rules.h"
#include "ir/op/rules/scalar_expr.h"

// Mathematical functions of one element.

namespace sifr::rows {

using namespace rules;

Rows pointwise_math() {
    constexpr Lower P = Lower::Pointwise;
    constexpr LayoutRule E_ = LayoutRule::Elementwise;
    constexpr DTypeRule F = DTypeRule::PromoteFloat;
    return {
        {.name = "exp", .sig = "(T self) -> T", .lower = P, .dtype = F, .layout = E_, .saves = {save_out(0)}, .node = "ExpBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * out(v); }>, .scalar = unary_body<ScalarOp::Exp>},
    };
}

}  // namespace sifr::rows
