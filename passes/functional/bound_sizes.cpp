// bound-sizes: a tensor of run-time sizes becomes a tensor of its bounds, and what lies behind the sizes is left out.
//
//   %n, %y = masked_select %x, %m   : i64, f32[%n<=6]        %n, %0 = masked_select %x, %m     : i64, f32[%n<=6]
//   %z = exp %y                     : f32[%n<=6]             %y = to_bound %0                  : f32[6]
//   %s = sum %z                     : f32[]            =>    %z = exp %y                       : f32[6]
//                                                            %v = lt (arange 6), %n            : bool[6]
//                                                            %s = sum (where %v, %z, 0.0)      : f32[]
//
// Memory and loops are those of the bounds, which are known; a kernel takes the size as a number. Element by element nothing
// changes: what is computed behind the size is never looked at. Rows that look at several places at once (reductions,
// products, indices) are given what changes nothing there. A function of the runtime, a print for one, is given the tensor by its sizes
// (`to_size`); what it makes is of run-time sizes, too, and is zero behind them (`to_bound`).
//
// It stands right behind functionalize, so that gradients and all other passes see sizes that are known: the gradient of
// the choice above is a choice, and nothing flows from the places behind the size, be it a NaN.

#include "passes/functional/bound_sizes.h"

#include <algorithm>

#include "ir/base/check.h"
#include "passes/functional/size_bounds.h"

namespace sifr {

using namespace rules;

SizeBounds::SizeBounds(Function& f) : f_(f), runs_(f.values.size()) {
    walk(f, f.body, [&](InstId id) { gradients_ |= f[id].op == "backward"_op; });
    for (size_t k = 0; k < f.values.size(); ++k) {
        Type& t = f.values[k].type;
        runs_[k] = t.run_time_sizes;
        t.run_time_sizes.clear();
    }
}

const SizeBounds::Runs& SizeBounds::runs(ValueId v) const {
    static const Runs none;
    return v.index < runs_.size() ? runs_[v.index] : none;
}

void SizeBounds::set_runs(ValueId v, Runs runs) {
    if (runs_.size() <= v.index) runs_.resize(v.index + 1);
    runs_[v.index] = std::move(runs);
}

bool SizeBounds::is_involved(const Inst& inst) const {
    auto involved = [&](ValueId v) { return !runs(v).empty(); };
    return std::any_of(inst.operands.begin(), inst.operands.end(), involved) || std::any_of(inst.results.begin(), inst.results.end(), involved);
}

V SizeBounds::valid(Builder& b, const Sizes& sizes, const Runs& runs) {
    std::optional<V> all;
    for (const RunTimeSize& r : runs) {
        auto axis = static_cast<size_t>(r.axis);
        Sizes shape(sizes.size(), 1);
        shape[axis] = sizes[axis];
        V place = arange(b, sizes[axis]);
        V counts = reshape({&b, b.emit("lt"_op, {place, r.size})}, shape);
        all = all ? logical_and(*all, counts) : counts;
    }
    SIFR_CHECK(all, "a mask of no run-time size");
    return *all;
}

V SizeBounds::masked(Builder& b, ValueId v, ValueId otherwise) {
    const Runs own = runs(v);
    if (own.empty()) return {&b, v};
    V out{&b, b.emit("where"_op, {valid(b, f_.type(v).sizes, own), v, otherwise})};
    out = cast(out, f_.type(v).dtype);
    set_runs(out, own);
    return out;
}

V SizeBounds::masked(Builder& b, ValueId v, double otherwise) {
    DType t = f_.type(v).dtype;
    if (is_complex(t)) throw NotSupported("a complex tensor whose size is known only at run time");
    return masked(b, v, t == DType::Bool ? b.constant_bool(otherwise != 0) : is_float(t) ? b.constant(otherwise) : b.constant_int(static_cast<int64_t>(otherwise)));
}

V SizeBounds::with_bounds(Builder& b, ValueId v, const Sizes& bounds) {
    const Runs own = runs(v);
    V out{&b, v};
    for (size_t d = 0; d < bounds.size(); ++d) {
        const Sizes now = sizes_of(out);
        if (now[d] == bounds[d]) continue;
        if (std::none_of(own.begin(), own.end(), [&](const RunTimeSize& r) { return r.axis == static_cast<int>(d); })) continue;
        auto dim = static_cast<int64_t>(d);
        if (now[d] > bounds[d]) {
            out = slice(out, dim, 0, bounds[d]);
        } else {
            Sizes grown = now;
            grown[d] = bounds[d];
            out = insert_slice(zeros(out, grown), out, dim, 0);
        }
    }
    set_runs(out, own);
    return out;
}

ValueId SizeBounds::count(Builder& b, ValueId v, const std::vector<int64_t>& axes) {
    int64_t known = 1;
    ValueId n;
    for (int64_t d : axes) {
        ValueId run;
        for (const RunTimeSize& r : runs(v)) {
            if (r.axis == d) run = r.size;
        }
        if (!run.valid()) known *= f_.type(v).sizes[static_cast<size_t>(d)];
        else n = n.valid() ? b.emit("imul"_op, {n, run}) : run;
    }
    if (!n.valid()) return b.constant_int(known);
    return known == 1 ? n : b.emit("imul"_op, {n, b.constant_int(known)});
}

namespace {

void rewrite_region(Function& f, SizeBounds& bounds, RegionId r) {
    for (size_t i = 0; i < f[r].insts.size(); ++i) {
        InstId id = f[r].insts[i];
        if (f[id].erased) continue;
        bounds.replaced.apply(f[id].operands);
        if (bounds.is_involved(f[id])) {
            Builder b(f, r, f[id].location);
            b.before(id);
            size_t before = f[r].insts.size();
            bool gone = bounds.rewrite(b, id);
            i += f[r].insts.size() - before;
            if (gone) {
                f.erase(id);
                continue;
            }
        }
        for (size_t k = 0; k < f[id].regions.size(); ++k) rewrite_region(f, bounds, f[id].regions[k]);
    }
    bounds.replaced.apply(f[r].results);
}

}  // namespace

bool bound_sizes(Functional& functional, PassContext&) {
    Function& f = functional.function;
    if (std::none_of(f.values.begin(), f.values.end(), [](const Value& v) { return !v.type.run_time_sizes.empty(); })) return false;
    SizeBounds bounds(f);
    rewrite_region(f, bounds, f.body);
    bounds.replaced.apply(f);
    return true;
}

}  // namespace sifr
