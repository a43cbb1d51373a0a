#include "passes/pass_table.h"

#include "passes/captured/check_inplace_autograd.h"
#include "passes/functional/assign_first.h"
#include "passes/functional/bound_sizes.h"
#include "passes/functional/cse.h"
#include "passes/functional/dce.h"
#include "passes/functional/decompose.h"
#include "passes/functional/elide_redundant_clears.h"
#include "passes/functional/expand_grad.h"
#include "passes/functional/hoist.h"
#include "passes/functional/remove_dead_writes.h"
#include "passes/functional/simplify/simplify.h"
#include "passes/functionalize/functionalize.h"
#include "passes/fusion/fuse.h"
#include "passes/memory/fuse_zero_fills.h"
#include "passes/memory/plan_memory.h"

namespace sifr {

std::span<const PassRow> pipeline() {
    static const PassRow rows[] = {
        {.name = "check-inplace-autograd", .before_after = "%y = mul %x, %w; %x <- full 0.0; backward %y   =>   error at the backward", .check = check_inplace_autograd},
        {.name = "functionalize", .before_after = "%v <- full 0.0   =>   %x1 = insert %x +4 (3,1), %zeros", .functionalize = functionalize},
        {.name = "bound-sizes", .before_after = "%s = sum %y   =>   %s = sum (where %valid, %y, 0.0), where %y is f32[%n<=6]", .functional = bound_sizes},
        {.name = "expand-grad", .before_after = "%d = backward %y wrt %w   =>   %d = mul %g, %x", .functional = expand_grad},
        {.name = "decompose", .before_after = "%p = softmax %x   =>   amax, sub, exp, sum, div", .functional = decompose},
        {.name = "simplify", .before_after = "%d = extract (insert %x L, %p) L   =>   %p", .functional = simplify},
        {.name = "elide-redundant-clears", .before_after = "%y = insert %zeros L, (full 0.0)   =>   %zeros", .functional = elide_redundant_clears},
        {.name = "dce", .before_after = "%a = exp %x   =>   nothing, where nobody reads %a", .functional = eliminate_dead_code},
        {.name = "cse", .before_after = "%a = exp %x; %b = exp %x   =>   %a", .functional = eliminate_common_subexpressions},
        {.name = "remove-dead-writes", .before_after = "%x = full 0.0; %y = insert %x L, %p; … the rest of L …   =>   %x = empty; …", .functional = remove_dead_writes},
        {.name = "elide-again", .before_after = "what overwritten values had hidden", .functional = elide_redundant_clears},
        {.name = "assign-first", .before_after = "for { … add %a, %d } from zeros   =>   the first trip assigns", .functional = assign_first},
        {.name = "hoist", .before_after = "for { %g = mul %x, %x … }   =>   %g = mul %x, %x; for { … }", .functional = hoist},
        {.name = "simplify-again", .before_after = "what cse and dce have brought together", .functional = simplify},
        {.name = "dce-again", .before_after = "what simplify has left behind", .functional = eliminate_dead_code},
        {.name = "fuse", .before_after = "%a = exp %x; %b = mul %a, 2.0   =>   %b = group \"pointwise\" %x { … }", .fuse = fuse},
        {.name = "plan-memory", .before_after = "%b = group %a   =>   launch @exp_mul #0, #1", .plan = plan_memory},
        {.name = "fuse-zero-fills", .before_after = "fill #0; fill #1; fill #2   =>   one fill over one range of the arena", .on_plan = fuse_zero_fills},
    };
    return rows;
}

}  // namespace sifr
