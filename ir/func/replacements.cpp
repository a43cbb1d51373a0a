#include "ir/func/replacements.h"

namespace sifr {

void Replacements::set(ValueId from, ValueId to) {
    if (to_.size() <= from.index) to_.resize(from.index + 1);
    to_[from.index] = to;
}

ValueId Replacements::get(ValueId v) const {
    while (v.valid() && v.index < to_.size() && to_[v.index].valid()) v = to_[v.index];
    return v;
}

void Replacements::apply(std::vector<ValueId>& values) const {
    for (ValueId& v : values) v = get(v);
}

void Replacements::apply(Function& f) const {
    if (empty()) return;
    for (Inst& inst : f.insts) {
        apply(inst.operands);
        inst.dest = get(inst.dest);
    }
    for (Region& r : f.regions) apply(r.results);
    for (Value& v : f.values)
        for (RunTimeSize& s : v.type.run_time_sizes) s.size = get(s.size);
}

}  // namespace sifr
