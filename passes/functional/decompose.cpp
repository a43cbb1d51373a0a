// decompose: composite rows in terms of rows that have a lowering of their own.
//
//   %p = softmax %x, dim=1      =>      %m = amax %x, dim=[1], keepdim=true
//                                       %s = sub %x, %m
//                                       %e = exp %s
//                                       %t = sum.dim %e, dim=[1], keepdim=true
//                                       %p = div %e, %t
//
// It stands behind expand-grad, because a composite has a gradient of its own (softmax: y * (g - sum(g * y))), as PyTorch
// gives it, and in front of simplify and fuse, which then see one small set of rows. What a decomposition emits may be
// composite again; it is taken up in turn.

#include "passes/functional/decompose.h"

#include "ir/func/builder.h"
#include "ir/func/replacements.h"

namespace sifr {
namespace {

class Decompose {
public:
    explicit Decompose(Function& f) : f_(f) {}

    bool run() {
        region(f_.body);
        replaced_.apply(f_);
        return changed_;
    }

private:
    void region(RegionId r) {
        for (size_t i = 0; i < f_[r].insts.size();) {
            InstId id = f_[r].insts[i];
            if (f_[id].erased) {
                ++i;
                continue;
            }
            replaced_.apply(f_[id].operands);
            for (size_t k = 0; k < f_[id].regions.size(); ++k) region(f_[id].regions[k]);
            const Inst inst = f_[id];
            const OpDef& row = def(inst.op);
            if (row.lower != Lower::Composite && !(row.decomposes && row.decomposes(f_, inst))) {
                ++i;
                continue;
            }
            SIFR_CHECK(def(inst.op).decompose, "composite row '{}' has no decomposition", def(inst.op).name);
            Builder b(f_, r, inst.location);
            b.before(id);
            std::vector<ValueId> made = def(inst.op).decompose(b, inst);
            SIFR_CHECK(made.size() == inst.results.size(), "'{}' decomposes into {} results", def(inst.op).name, made.size());
            for (size_t k = 0; k < made.size(); ++k) {
                if (!made[k].valid()) continue;
                if (f_[made[k]].name.empty()) f_[made[k]].name = f_[inst.results[k]].name;
                replaced_.set(inst.results[k], made[k]);
            }
            f_.erase(id);
            changed_ = true;
            // Stay at `i`: the first new instruction stands there now, and may be composite itself.
        }
    }

    Function& f_;
    Replacements replaced_;
    bool changed_ = false;
};

}  // namespace

bool decompose(Functional& functional, PassContext&) {
    bool changed = Decompose(functional.function).run();
    functional.function.facts.decomposed = true;
    return changed;
}

}  // namespace sifr
