#include "ir/op/rows/rows.h"
#include "ir/op/rules/creation_rules.h"
#include "ir/op/rules/structural_rules.h"
#include "ir/op/vjp.h"

// Tensors whose elements are known by rule. `zeros`, `ones`, `full`, their `_like` and `new_` forms, `zero_` and `fill_` all are
// `full`; written through (`%v <- full 0.0`), sizes and dtype are the destination's.

namespace sifr::rows {

Rows creation() {
    using namespace rules;
    constexpr Lower L = Lower::Fill;
    return {
        // `fill` is set by fill_(number), which PyTorch records under another name than zero_().
        {.name = "full", .sig = "(N fill_value, *, int[] sizes=[], dtype? dtype=None, bool fill=False) -> T", .lower = L,
         .infer = full_result, .node_of = full_node,
         .vjp = [](Vjp& v) -> std::vector<ValueId> {
             if (!v.type(v.in(0)).is_tensor()) return {ValueId()};
             return {v.to(0, v.grad())};
         },
         .method = false, .function = false},
        // Elements are undefined until written.
        {.name = "empty", .sig = "(*, int[] sizes=[], dtype? dtype=None) -> T", .lower = L, .infer = sized_result, .inplace = false,
         .method = false, .function = false},
        {.name = "literal", .sig = "(*, data data, int[] sizes, dtype dtype) -> T", .lower = L, .infer = sized_result, .inplace = false,
         .method = false, .function = false},
        {.name = "arange", .sig = "(Scalar start, Scalar end, Scalar step=1, *, dtype? dtype=None) -> T", .lower = L,
         .infer = arange_result, .inplace = false, .method = false},
        {.name = "linspace", .sig = "(Scalar start, Scalar end, int steps, *, dtype? dtype=None) -> T", .lower = L,
         .infer = linspace_result, .inplace = false, .method = false},
        {.name = "eye", .sig = "(int n, int? m=None, *, dtype? dtype=None) -> T", .lower = L, .infer = eye_result, .inplace = false,
         .method = false},
        {.name = "triu_indices", .sig = "(int row, int col, int offset=0, *, dtype? dtype=None) -> T", .lower = L,
         .infer = triangle_indices_result, .inplace = false, .method = false},
        {.name = "tril_indices", .sig = "(int row, int col, int offset=0, *, dtype? dtype=None) -> T", .lower = L,
         .infer = triangle_indices_result, .inplace = false, .method = false},
        {.name = "scalar_tensor", .sig = "(Scalar s, *, dtype? dtype=None) -> T", .lower = L, .infer = scalar_tensor_result,
         .inplace = false, .method = false},
        {.name = "from_scalars", .sig = "(Scalar[] values, *, int[] sizes, dtype? dtype=None) -> T", .lower = L,
         .infer = scalar_tensor_result, .inplace = false, .method = false, .function = false},
    };
}

}  // namespace sifr::rows
