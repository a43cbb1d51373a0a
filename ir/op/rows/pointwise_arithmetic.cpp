#include "ir/op/rows/rows.h"
#include "ir/op/rules/gradient.h"
#include "ir/op/rules/pointwise_rules.h"
#include "ir/op/rules/scalar_expr.h"

// Arithmetic of two tensors, or of a tensor and a number.

namespace sifr::rows {
namespace {

using namespace rules;

E sum_of(E a, E b) { return a.type() == DType::Bool ? a || b : a + b; }
E product_of(E a, E b) { return a.type() == DType::Bool ? a && b : a * b; }

/// alpha·g, for `add` and `sub` with a factor.
V scaled(Vjp& v, V g) { return apply("mul"_op, g, V{&v.b, v.in(2)}); }

}  // namespace

Rows pointwise_arithmetic() {
    constexpr Lower P = Lower::Pointwise;
    constexpr LayoutRule E_ = LayoutRule::Elementwise;
    return {
        {.name = "add", .sig = "(T self, N other) -> T", .lower = P, .layout = E_, .node = "AddBackward0",
         .vjp = gradients<[](Vjp&, V g) { return g; }, [](Vjp&, V g) { return g; }>,
         .scalar = body<[](Inputs x) { return sum_of(x[0], x[1]); }>},
        {.name = "add.alpha", .sig = "(T self, N other, *, Scalar alpha) -> T", .lower = P, .infer = add_result, .layout = E_,
         .node = "AddBackward0", .vjp = gradients<[](Vjp&, V g) { return g; }, scaled>,
         .scalar = body<[](Inputs x) { return sum_of(x[0], product_of(x[2], x[1])); }>},
        {.name = "sub", .sig = "(T self, N other) -> T", .lower = P, .infer = sub_result, .layout = E_, .node = "SubBackward0",
         .vjp = gradients<[](Vjp&, V g) { return g; }, [](Vjp&, V g) { return -g; }>, .scalar = binary_body<ScalarOp::Sub>},
        {.name = "sub.alpha", .sig = "(T self, N other, *, Scalar alpha) -> T", .lower = P, .infer = sub_result, .layout = E_,
         .node = "SubBackward0", .vjp = gradients<[](Vjp&, V g) { return g; }, [](Vjp& v, V g) { return -scaled(v, g); }>,
         .scalar = body<[](Inputs x) { return x[0] - x[2] * x[1]; }>},
        {.name = "mul", .sig = "(T self, N other) -> T", .lower = P, .layout = E_, .saves = {save_in(0, 2), save_in(1, 1)},
         .node = "MulBackward0", .vjp = gradients<[](Vjp& v, V g) { return g * in(v, 1); }, [](Vjp& v, V g) { return g * in(v, 0); }>,
         .scalar = body<[](Inputs x) { return product_of(x[0], x[1]); }>},
        {.name = "div", .sig = "(T self, N other) -> T", .lower = P, .dtype = DTypeRule::PromoteFloat, .layout = E_,
         .saves = {save_in(0, 2), save_in(1)}, .node = "DivBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g / in(v, 1); },
                          [](Vjp& v, V g) { return -g * ((in(v, 0) / in(v, 1)) / in(v, 1)); }>,
         .scalar = binary_body<ScalarOp::Div>},
        {.name = "neg", .sig = "(T self) -> T", .lower = P, .infer = neg_result, .layout = E_, .node = "NegBackward0",
         .vjp = gradients<[](Vjp&, V g) { return -g; }>, .scalar = unary_body<ScalarOp::Neg>},

        // Conversion: `to(dtype)`, `float()`, …
        {.name = "cast", .sig = "(T self, *, dtype dtype) -> T", .lower = P, .dtype = DTypeRule::Attribute, .layout = LayoutRule::Like,
         .node = "ToCopyBackward0", .vjp = gradients<[](Vjp&, V g) { return g; }>,
         .scalar = body<[](Inputs x) { return x[0]; }>, .inplace = false, .method = false, .function = false},
        // `%u <- copy %r`: cast and broadcast to the destination are implied.
        {.name = "copy", .sig = "(N src) -> T", .lower = P, .dtype = DTypeRule::First, .layout = LayoutRule::Like,
         .node = "CopyBackwards", .vjp = gradients<[](Vjp&, V g) { return g; }>,
         .scalar = body<[](Inputs x) { return x[0]; }>, .method = false, .function = false},
        {.name = "clone", .sig = "(T self) -> T", .lower = P, .dtype = DTypeRule::First, .layout = LayoutRule::Like,
         .node = "CloneBackward0", .vjp = gradients<[](Vjp&, V g) { return g; }>,
         .scalar = body<[](Inputs x) { return x[0]; }>, .inplace = false},
    };
}

}  // namespace sifr::rows
