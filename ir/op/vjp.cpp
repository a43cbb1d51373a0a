#include "ir/op/vjp.h"

namespace sifr {

ValueId Vjp::grad(size_t k) {
    ValueId& g = grads_.at(k);
    if (!g.valid()) {
        const Type t = b.function().type(inst.results.at(k));
        g = b.full(t.dtype, t.sizes, 0.0);
    }
    return g;
}

ValueId Vjp::to(size_t k, ValueId g) {
    const Type t = b.function().type(inst.operands.at(k));
    if (!t.is_tensor()) return {};
    return b.cast(b.sum_to(g, t.sizes), t.dtype);
}

}  // namespace sifr
