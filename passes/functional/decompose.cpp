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

namespace sifr {
namespace {

bool decompose_region(Function& f, RegionId r) {
    bool changed = false;
    for (size_t i = 0; i < f[r].insts.size();) {
        InstId id = f[r].insts[i];
        if (f[id].erased) {
            ++i;
            continue;
        }
        for (size_t k = 0; k < f[id].regions.size(); ++k) changed |= decompose_region(f, f[id].regions[k]);
        const Inst inst = f[id];
        if (def(inst.op).lower != Lower::Composite) {
            ++i;
            continue;
        }
        SIFR_CHECK(def(inst.op).decompose, "composite row '{}' has no decomposition", def(inst.op).name);
        Builder b(f, r, inst.location);
        b.before(id);
        std::vector<ValueId> made = def(inst.op).decompose(b, inst);
        SIFR_CHECK(made.size() == inst.results.size(), "'{}' decomposes into {} results", def(inst.op).name, made.size());
        for (size_t k = 0; k < made.size(); ++k) {
            if (!made[k].valid()) continue;
            if (f[made[k]].name.empty()) f[made[k]].name = f[inst.results[k]].name;
            replace_uses(f, inst.results[k], made[k]);
        }
        f.erase(id);
        changed = true;
        // Stay at `i`: the first new instruction stands there now.
    }
    return changed;
}

}  // namespace

bool decompose(Functional& functional, PassContext&) {
    bool changed = decompose_region(functional.function, functional.function.body);
    functional.function.facts.decomposed = true;
    return changed;
}

}  // namespace sifr
