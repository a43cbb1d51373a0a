#include "ir/op/rows/rows.h"
#include "ir/op/rules/gradient.h"
#include "ir/op/rules/reduction_rules.h"

// Reductions over axes. The attribute `order` (reduce_order.h) is set when the instruction is made.

namespace sifr::rows {

using namespace rules;

Rows reductions() {
    constexpr Lower R = Lower::Reduction;
    return {
        {.name = "sum", .sig = "(T self, *, dtype? dtype=None) -> T", .lower = R, .infer = sum_result, .node = "SumBackward0",
         .vjp = sum_vjp, .reduction = "sum", .inplace = false},
        {.name = "sum.dim", .sig = "(T self, any dim, bool keepdim=False, *, dtype? dtype=None) -> T", .lower = R, .infer = sum_result,
         .node = "SumBackward1", .vjp = sum_vjp, .reduction = "sum", .inplace = false},
    };
}

}  // namespace sifr::rows
