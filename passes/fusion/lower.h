#pragma once

#include <cstdint>
#include <vector>

#include "ir/func/function.h"
#include "ir/loop/loop_ir.h"

namespace sifr {

/// A group as a kernel, and what its parameters stand for.
struct LoweredGroup {
    struct Binding {
        enum class Kind : uint8_t { Operand, Result } kind;
        uint32_t index;  ///< into the group's operands or results
    };
    Kernel kernel;
    std::vector<Binding> buffers;   ///< one per buffer parameter
    std::vector<uint32_t> scalars;  ///< operand number of each scalar parameter
};

/// What the planner decided about a result: `in_place[r]` for a result that is an `insert` says that its memory already holds the
/// value that is inserted into, so that only the inserted part is written.
LoweredGroup lower_group(const Function& f, const Inst& group, const std::vector<bool>& in_place);

/// The operand that result `r` of a group is an `insert` into, as an operand number; -1 when it is none.
int inserted_operand(const Function& f, const Inst& group, size_t r);

/// Whether the kernel stays correct when its buffers `in` (read) and `out` (written) are one place of memory: every element is
/// read, in program order, before it is written, and loops that repeat both touch the same element in one iteration.
bool may_share(const Kernel& kernel, BufferId in, BufferId out);
/// Makes `in` and `out` one buffer, read and written.
void share(LoweredGroup& lowered, BufferId in, BufferId out);

/// Merges perfectly nested loops that walk memory as one, and says which loops are parallel and which are vectors.
void schedule(Kernel& kernel);

}  // namespace sifr
