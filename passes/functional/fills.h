#pragma once

#include <vector>

#include "ir/func/function.h"
#include "ir/op/op_def.h"

namespace sifr {

/// Something writes into the memory of this fill: an insert or a scatter on top of it, a loop that carries it on, or whoever gets it
/// from its region. Such a fill is memory of its own: shared or moved out of a loop, it would have to be copied before it is written.
inline bool written_into(const Function& f, const std::vector<std::vector<Use>>& uses, ValueId v) {
    for (const Use& u : uses[v.index]) {
        if (!u.inst.valid()) return true;
        const Inst& user = f[u.inst];
        bool writes = user.op == "insert"_op || user.op == "insert_add"_op || user.op == "insert_seq"_op || def(user.op).lower == Lower::Scatter;
        if (!user.regions.empty() || (writes && u.operand == 0)) return true;
    }
    return false;
}

}  // namespace sifr
