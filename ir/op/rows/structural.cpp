#include "ir/op/rows/rows.h"
#include "ir/op/rules/structural_rules.h"

// Control flow, memory of the FUNCTIONAL stage, gradients as instructions, optionals. Every stage knows these by name.

namespace sifr::rows {

Rows structural() {
    using namespace rules;
    constexpr Lower L = Lower::Structural;
    return {
        // Regions are described in ir/text/README.md.
        {.name = "for", .sig = "(i64 lo, i64 hi, i64 step, V[] inits) -> V[]", .lower = L, .infer = for_results},
        {.name = "while", .sig = "(V[] inits) -> V[]", .lower = L, .infer = same_as_all},
        {.name = "if", .sig = "(b8 condition) -> V[]", .lower = L, .infer = typed_only},
        {.name = "group", .sig = "(V[] inputs, *, string kind) -> V[]", .lower = L, .infer = typed_only},

        // `layout` lies over operand 0's own row-major frame. `insert`: value with piece written at the layout; `insert_add`:
        // added, in row-major order of the piece; `insert_seq`: written or added element by element through a layout that
        // overlaps itself.
        {.name = "extract", .sig = "(T value, i64[] indices, *, layout layout) -> T", .lower = L, .infer = extract_result, .vjp = extract_vjp},
        {.name = "insert", .sig = "(T value, T piece, i64[] indices, *, layout layout) -> T", .lower = L, .infer = same_as_first, .vjp = insert_vjp},
        {.name = "insert_add", .sig = "(T value, T piece, i64[] indices, *, layout layout) -> T", .lower = L, .infer = same_as_first,
         .vjp = insert_add_vjp},
        {.name = "insert_seq", .sig = "(T value, T piece, i64[] indices, *, layout layout) -> T", .lower = L, .infer = same_as_first},

        // A tensor of run-time sizes lies in memory of its bounds, row-major: of an axis of bound 16 and size 5, the first 5 places count.
        // `to_size`: the first places along each of `axes`; `to_bound`: all places, of which those behind the sizes hold zeros.
        {.name = "to_size", .sig = "(T value, i64[] sizes, *, int[] axes) -> T", .lower = L, .infer = typed_only, .vjp = first_grad_as_is},
        {.name = "to_bound", .sig = "(T value) -> T", .lower = L, .infer = bounded_result, .vjp = first_grad_as_is},

        // losses, then as many gradients if `from`, then the tensors after `wrt`, of which the first `stop` pass no gradient on.
        {.name = "backward",
         .sig = "(V[] operands, *, int losses=1, bool from=False, bool retain=False, bool create=False, int stop=0) -> V[]",
         .lower = L,
         .infer = backward_results},
        // From here on gradients through the operation that made `result` read `saved`, which has been written past its version counter,
        // in place of operand `slot` of it; -1 - k stands for its result k.
        {.name = "reading", .sig = "(T result, T saved, *, int slot) -> ()", .lower = L, .effect = Effect::Host},
        {.name = "leaf", .sig = "(T self) -> T", .lower = L, .infer = same_as_first, .view = same_layout},
        {.name = "detach", .sig = "(T self) -> T", .lower = L, .infer = same_as_first, .view = same_layout},
        {.name = "untracked", .sig = "(T value, T history) -> T", .lower = L, .infer = same_as_first},

        {.name = "item", .sig = "(T self) -> V", .lower = L, .infer = item_result},

        {.name = "none", .sig = "() -> V", .lower = L, .infer = typed_only},
        {.name = "some", .sig = "(V[] members) -> V", .lower = L, .infer = some_result},
        {.name = "is_none", .sig = "(V optional) -> b8", .lower = L},
        {.name = "unwrap", .sig = "(V optional, *, string error) -> V[]", .lower = L, .effect = Effect::Check, .infer = unwrap_results},
    };
}

}  // namespace sifr::rows
