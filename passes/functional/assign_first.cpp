// assign-first: what a short loop accumulates into need not be filled in front of it.
//
//   %z = full 0.0                                          %z = empty
//   %g = for %i in 0..4 carrying %a = %z {                 %g = for %i in 0..4 carrying %a = %z {
//     …                                                      %first = ieq %i, 0
//     %b = add %a, %d                             =>         %c = full %first            : bool[]
//     yield %b                                               %s = where %c, 0.0, %a
//   }                                                        %b = add %s, %d
//                                                            yield %b
//                                                          }
//
// This is gradient accumulation over micro-batches: `zero_grad` in front of a few `backward`s. The choice costs nothing in a kernel that
// reads %a anyway; the memory's old contents are loaded and not looked at. For loops of many trips one fill is cheaper than a
// choice on each trip, and they keep it. The carried value may only be read element by element, in the loop's own body.
//
// It stands behind remove-dead-writes, which finds the fills that nobody needs at all, and in front of fuse.

#include "passes/functional/assign_first.h"

#include <algorithm>

#include "ir/base/planted_fault.h"
#include "ir/func/builder.h"
#include "ir/op/op_def.h"

namespace sifr {
namespace {

constexpr int64_t most_trips = 8;

class AssignFirst {
public:
    explicit AssignFirst(Function& f) : f_(f), uses_(compute_uses(f)) {}

    bool run() {
        std::vector<InstId> loops;
        walk(f_, f_.body, [&](InstId id) {
            if (f_[id].op == "for"_op) loops.push_back(id);
        });
        bool changed = false;
        for (InstId id : loops) changed |= loop(id);
        return changed;
    }

private:
    bool loop(InstId id) {
        auto lo = f_.constant_int(f_[id].operands[0]), hi = f_.constant_int(f_[id].operands[1]), step = f_.constant_int(f_[id].operands[2]);
        if (!lo || !hi || !step || *step <= 0 || *lo >= *hi || (*hi - *lo + *step - 1) / *step > most_trips) return false;
        RegionId body = f_[id].regions[0];
        ValueId chosen;  // the condition as a tensor, made once
        bool changed = false;
        for (size_t k = 0; k < f_[id].results.size(); ++k) {
            ValueId init = f_[id].operands[3 + k], param = f_[body].params[1 + k];
            const Inst* made = f_.producer(init);
            if (!made || made->op != "full"_op || !f_.constant_float(made->operands[0]) || !element_by_element(param, body)) continue;
            const Inst fill = *made;  // a copy: new instructions move the others
            const Type type = f_.type(param);
            if (!chosen.valid()) after_ = f_[body].insts.front();
            Builder b(f_, body, f_[id].location);
            b.before(after_);
            if (!chosen.valid()) {
                ValueId first = b.emit("ieq"_op, {f_[body].params[0], b.constant_int(*lo + (planted(Fault::AssignedOnSecondTrip) ? *step : 0))});
                chosen = b.full(DType::Bool, {}, first);
            }
            double number = *f_.constant_float(fill.operands[0]);
            ValueId value = is_float(type.dtype) ? b.constant(number) : fill.operands[0];
            ValueId start = b.emit("where"_op, {chosen, value, param});
            if (f_.type(start) != type) {
                f_.erase(f_[start].inst);
                continue;
            }
            for (const Use& u : uses_[param.index]) f_[u.inst].operands[u.operand] = start;
            for (ClearId c : fill.clears)
                if (f_[c].verdict == Clear::Verdict::Open && uses_[init.index].size() == 1)
                    close_clears(f_, {c}, Clear::Verdict::Folded, 0, "assign-first", "the first trip of the loop assigns");
            Builder front(f_, f_[id].parent, f_[id].location);
            front.before(id);
            f_[id].operands[3 + k] = front.emit("empty"_op, {}, attrs({{"sizes", type.sizes}, {"dtype", type.dtype}}));
            changed = true;
        }
        return changed;
    }

    bool element_by_element(ValueId param, RegionId body) const {
        const Type& type = f_.type(param);
        if (!type.is_tensor() || !type.run_time_sizes.empty() || uses_[param.index].empty()) return false;
        return std::all_of(uses_[param.index].begin(), uses_[param.index].end(), [&](const Use& u) {
            return u.inst.valid() && f_[u.inst].parent == body && def(f_[u.inst].op).lower == Lower::Pointwise && f_.type(f_[u.inst].results[0]).sizes == type.sizes;
        });
    }

    Function& f_;
    std::vector<std::vector<Use>> uses_;
    InstId after_;  ///< what stood first in the loop's body
};

}  // namespace

bool assign_first(Functional& functional, PassContext&) { return AssignFirst(functional.function).run(); }

}  // namespace sifr
