// hoist: what does not change from trip to trip is computed once, in front of the loop.
//
//   %r = for %i in 0..100 carrying %w = %w0 {          %g = mul %x, %x
//     %g = mul %x, %x                            =>    %r = for %i in 0..100 carrying %w = %w0 {
//     %v = sub %w, %g                                    %v = sub %w, %g
//     yield %v                                           yield %v
//   }                                                  }
//
// Pure tensor instructions without regions move, inner loops first, so that one sweep carries an instruction through a
// whole nest. Run-time numbers stay: they cost nothing, and some of their rows raise, which a loop of no trips must not.
// A fill stays where it is written into: in front of the loop it would have to be copied on every trip.
//
// It stands behind cse and in front of fuse: a hoisted value no longer shares a kernel with what stays inside.

#include "passes/functional/hoist.h"

#include <algorithm>

#include "ir/op/op_def.h"
#include "passes/functional/fills.h"

namespace sifr {
namespace {

class Hoist {
public:
    explicit Hoist(Function& f) : f_(f), uses_(compute_uses(f)), depth_(f.values.size(), 0) {}

    bool run() {
        number(f_.body, 0);
        return region(f_.body, 0);
    }

private:
    /// How many regions stand around each value.
    void number(RegionId r, int depth) {
        for (ValueId v : f_[r].params) depth_[v.index] = depth;
        for (InstId id : f_[r].insts) {
            if (f_[id].erased) continue;
            for (ValueId v : f_[id].results) depth_[v.index] = depth;
            for (RegionId inner : f_[id].regions) number(inner, depth + 1);
        }
    }

    bool region(RegionId r, int depth) {
        bool changed = false;
        for (size_t i = 0; i < f_[r].insts.size(); ++i) {
            InstId id = f_[r].insts[i];
            if (f_[id].erased || f_[id].regions.empty()) continue;
            for (RegionId inner : std::vector<RegionId>(f_[id].regions)) changed |= region(inner, depth + 1);
            bool loop = f_[id].op == "for"_op || f_[id].op == "while"_op;
            if (!loop) continue;
            for (RegionId inner : std::vector<RegionId>(f_[id].regions)) {
                std::vector<InstId> stay, move;
                for (InstId k : f_[inner].insts) {
                    if (!f_[k].erased && movable(f_[k], depth)) {
                        move.push_back(k);
                        f_[k].parent = r;
                        for (ValueId v : f_[k].results) depth_[v.index] = depth;
                    } else {
                        stay.push_back(k);
                    }
                }
                if (move.empty()) continue;
                f_[inner].insts = std::move(stay);
                f_[r].insts.insert(f_[r].insts.begin() + static_cast<ptrdiff_t>(i), move.begin(), move.end());
                i += move.size();
                changed = true;
            }
        }
        return changed;
    }

    bool movable(const Inst& inst, int depth) {
        if (!inst.regions.empty() || def(inst.op).effect != Effect::Pure || inst.results.empty()) return false;
        if (std::any_of(inst.results.begin(), inst.results.end(), [&](ValueId v) { return !f_.type(v).is_tensor(); })) return false;
        if (def(inst.op).lower == Lower::Fill && written_into(f_, uses_, inst.results[0])) return false;
        return std::all_of(inst.operands.begin(), inst.operands.end(), [&](ValueId v) { return f_.is_constant(v) || depth_[v.index] <= depth; });
    }

    Function& f_;
    std::vector<std::vector<Use>> uses_;
    std::vector<int> depth_;
};

}  // namespace

bool hoist(Functional& functional, PassContext&) { return Hoist(functional.function).run(); }

}  // namespace sifr
