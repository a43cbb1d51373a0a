// Groups over one iteration space: pointwise values, reductions along one axis, and pointwise values of their results.
//
//   %m = amax %x, [1]; %e = exp (%x - %m); %s = sum %e, [1]; %p = div %e, %s
//   =>  parallel i { reduce lanes k { } max m = x[i,k]
//                    reduce lanes k { let e = exp(x[i,k] - m); row[k] = e } sum s = e
//                    vector k { p[i,k] = row[k] / s } }
//
// The space is that of the full values. Around the reduced axis stand the loops over the kept axes; what is inside runs in
// phases: a full value belongs to the phase in which the last reduction that it needs is known. Values that a later phase needs
// again are computed anew when that is cheap, else kept in a scratch row.

#include <algorithm>
#include <functional>

#include "ir/base/check.h"
#include "passes/fusion/nest.h"
#include "passes/fusion/reduce_axis.h"

namespace sifr {

namespace {

constexpr const char* loop_names[] = {"i", "j", "k", "l", "m", "n", "o", "p"};
constexpr int64_t longest_scratch_row = 16384;  ///< elements; beyond, values are computed anew
constexpr int cheap_recompute = 6;              ///< scalar operations

bool is_transcendental(ScalarOp op) { return op >= ScalarOp::Exp; }

int body_cost(const Function& f, const Inst& inst) {
    if (def(inst.op).lower != Lower::Pointwise) return 0;
    ScalarBody body = scalar_body(f, inst);
    int cost = 0;
    for (const Expr& e : body.arena.nodes) {
        if (arity(e.op) > 0) cost += is_transcendental(e.op) ? 10 : e.op == ScalarOp::Div || e.op == ScalarOp::Sqrt ? 3 : 1;
    }
    return cost;
}

}  // namespace

VarId loop(Emitter& e, const std::string& name, int64_t extent, const std::function<void(VarId)>& body) {
    e.open();
    VarId v = e.loop_var(name, extent);
    body(v);
    Block b = e.close();
    e.append(Stmt{For{.var = v, .lo = Affine::constant(0), .hi = Affine::constant(extent), .kind = For::Kind::Vector, .body = std::move(b)}, {}});
    return v;
}

void GroupLowering::loops(const Sizes& sizes, const std::vector<bool>& walked, std::vector<Affine>& at, const std::function<void()>& body) {
    at.assign(sizes.size(), Affine{});
    std::function<void(size_t, size_t)> level = [&](size_t d, size_t depth) {
        while (d < sizes.size() && (!walked[d] || sizes[d] == 1)) ++d;
        if (d == sizes.size()) return body();
        loop(e_, depth < std::size(loop_names) ? loop_names[depth] : "i", sizes[d], [&](VarId v) {
            at[d] = Affine::of(v);
            level(d + 1, depth + 1);
        });
        at[d] = Affine{};
    };
    level(0, 0);
}

bool GroupLowering::is_full(const Nest& n, ValueId v) const { return f_.type(v).is_tensor() && f_.type(v).sizes == n.space; }

int GroupLowering::phase_of(const Nest& n, ValueId v) {
    if (f_[v].def != Value::Def::Result) return 0;
    if (auto it = phases_.find(v.index); it != phases_.end()) return it->second;
    const Inst& inst = e_.producer(v);
    int p = 0;
    for (ValueId o : inst.operands) p = std::max(p, phase_of(n, o));
    if (std::find(n.reductions.begin(), n.reductions.end(), v) != n.reductions.end()) ++p;
    return phases_[v.index] = p;
}

void GroupLowering::store(const Output& o, const Coords& c) {
    auto place = place_in_frame(o.layout, c, o.indices);
    SIFR_CHECK(place, "an output without affine coordinates");
    e_.append(Stmt{Store{o.buffer, *place, e_.element(o.value, c)}, {}});
}

/// Copies what lies outside of an inserted box from the value that it is inserted into.
void GroupLowering::copy_rest(const Output& o) {
    const Type& t = f_.type(o.insert->results[0]);
    ValueId base = o.insert->operands[0];
    const Inst* made = f_.producer(base);
    if (made && made->op == "empty"_op) return;
    auto box = box_in_frame(o.layout, t.sizes);
    bool exact = box && o.layout.index_scales.empty();
    if (exact) {
        for (int64_t s : box->steps) exact &= s == 1;
    }
    auto copy = [&](const Sizes& starts, const Sizes& extents) {
        if (element_count(extents) == 0) return;
        std::vector<Affine> at;
        loops(extents, std::vector<bool>(extents.size(), true), at, [&] {
            Coords c{false, at};
            for (size_t d = 0; d < starts.size(); ++d) c.at[d].base += starts[d];
            e_.append(Stmt{Store{o.buffer, linear(c, t.sizes), e_.element(base, c)}, {}});
        });
    };
    Sizes starts(t.sizes.size(), 0), extents = t.sizes;
    if (!exact) return copy(starts, extents);
    // Axis by axis: what lies in front of the box and behind it, for places inside the box on the axes before.
    for (size_t d = 0; d < t.sizes.size(); ++d) {
        int64_t end = box->starts[d] + box->extents[d];
        Sizes before = extents, behind = extents, from = starts;
        before[d] = box->starts[d];
        copy(starts, before);
        from[d] = end;
        behind[d] = t.sizes[d] - end;
        copy(from, behind);
        starts[d] = box->starts[d];
        extents[d] = box->extents[d];
    }
}

void GroupLowering::row(const Nest& n, std::vector<Affine>& at) {
    size_t axis = static_cast<size_t>(n.axis);
    int64_t length = n.space[axis];
    bool lanes = is_innermost(n.space, n.axis);

    int last = 0;
    for (ValueId r : n.reductions) last = std::max(last, phase_of(n, r) - 1);
    for (const Output& o : outputs_) last = std::max(last, phase_of(n, o.value));

    // Which full values are wanted in a later phase than their own, and what they cost.
    struct Kept {
        ValueId value;
        BufferId buffer;
        int phase;
    };
    std::vector<Kept> kept;
    std::map<uint32_t, int> cost;
    for (InstId id : f_[group_.regions[0]].insts) {
        const Inst& inst = f_[id];
        if (inst.erased || inst.results.empty()) continue;
        ValueId v = inst.results[0];
        int c = body_cost(f_, inst);
        for (ValueId o : inst.operands) c += f_[o].def == Value::Def::Result && is_full(n, o) ? cost[o.index] : f_.type(o).is_tensor() ? 1 : 0;
        cost[v.index] = c;
        if (!is_full(n, v) || !lanes || length > longest_scratch_row || c <= cheap_recompute) continue;
        bool later = false, moved = false;
        for (InstId u : f_[group_.regions[0]].insts) {
            for (ValueId o : f_[u].operands) {
                if (o != v) continue;
                moved |= f_[u].op == "extract"_op;
                later |= is_full(n, f_[u].results[0]) && phase_of(n, f_[u].results[0]) > phase_of(n, v);
            }
        }
        if (!later || moved) continue;
        BufferId b = e_.kernel.add_buffer({.name = "row_" + kernel_name_of(f_, v), .type = f_.type(v).dtype, .extent = length,
                                           .access = Buffer::Access::ReadWrite, .scratch = true});
        kept.push_back({v, b, phase_of(n, v)});
        cost[v.index] = 1;
    }

    for (int phase = 0; phase <= last; ++phase) {
        std::vector<ValueId> reductions;
        for (ValueId r : n.reductions) {
            if (phase_of(n, r) - 1 == phase) reductions.push_back(r);
        }
        bool stores = false;
        for (const Output& o : outputs_) stores |= is_full(n, o.value) && phase_of(n, o.value) == phase;
        for (const Kept& k : kept) stores |= k.phase == phase;
        if (reductions.empty() && !stores) continue;

        e_.open();
        VarId k = e_.loop_var("k", length);
        at[axis] = Affine::of(k);
        Coords c{false, at};
        for (const Kept& s : kept) {
            if (s.phase < phase) e_.save_value(s.value, {s.buffer, Affine::of(k)});
        }
        for (const Kept& s : kept) {
            if (s.phase == phase) e_.append(Stmt{Store{s.buffer, Affine::of(k), e_.element(s.value, c)}, {}});
        }
        // All values first, then the stores: memory may be shared with what is still to be read.
        std::vector<const Output*> here;
        for (const Output& o : outputs_) {
            if (!is_full(n, o.value) || phase_of(n, o.value) != phase) continue;
            e_.element(o.value, c);
            here.push_back(&o);
        }
        Reduce reduce{.var = k, .extent = Affine::constant(length), .lanes = lanes, .body = {}, .items = {}};
        std::vector<std::pair<ValueId, VarId>> names;
        for (ValueId r : reductions) {
            const Inst& inst = e_.producer(r);
            if (inst.results[0] != r) continue;  // the position beside the value that comes with it
            std::string combiner = def(inst.op).reduction;
            Reduce::Item item;
            ExprId value = e_.element(inst.operands[0], c);
            DType type = f_.type(inst.results[0]).dtype;
            bool both = inst.results.size() == 2;
            bool arg = combiner == "argmax" || combiner == "argmin" || both;
            if (combiner == "any" || combiner == "all") value = e_.cast(value, DType::Bool);
            else if (!arg) value = e_.cast(value, type);
            DType acc = e_.kernel.exprs.type(value);
            if (acc == DType::F16 || acc == DType::BF16) {
                value = e_.cast(value, DType::F32);
                acc = DType::F32;
            }
            for (auto [text, combine] : {std::pair{"sum", Combine::Sum}, {"prod", Combine::Prod}, {"max", Combine::Max}, {"min", Combine::Min},
                                         {"any", Combine::Any}, {"all", Combine::All}, {"argmax", Combine::ArgMax}, {"argmin", Combine::ArgMin}}) {
                if (combiner == text) item.combine = combine;
            }
            item.value = value;
            if (both) {
                item.combine = item.combine == Combine::Max || item.combine == Combine::ArgMax ? Combine::ArgMax : Combine::ArgMin;
                item.result_value = e_.kernel.add_var(kernel_name_of(f_, r), acc);
                item.result = e_.kernel.add_var(kernel_name_of(f_, inst.results[1]), DType::I64);
                names.emplace_back(r, item.result_value);
                names.emplace_back(inst.results[1], item.result);
            } else {
                item.result = e_.kernel.add_var(kernel_name_of(f_, r), arg ? DType::I64 : acc);
                names.emplace_back(r, item.result);
            }
            reduce.items.push_back(item);
        }
        for (const Output* o : here) store(*o, c);
        reduce.body = e_.close();
        at[axis] = Affine{};
        if (reductions.empty()) {
            e_.append(Stmt{For{.var = k, .lo = Affine::constant(0), .hi = Affine::constant(length), .kind = For::Kind::Vector, .body = std::move(reduce.body)}, {}});
            continue;
        }
        Location at_source;
        for (ValueId r : reductions) at_source = fuse_locations(at_source, e_.producer(r).location);
        e_.append(Stmt{std::move(reduce), std::move(at_source)});
        for (auto [value, var] : names) {
            // Half precision results are rounded once, behind the reduction.
            DType type = f_.type(value).dtype, acc = e_.kernel.vars[var.index].type;
            e_.name_value(value, var);
            if (type != acc) {
                ExprId rounded = e_.bind(e_.cast(e_.kernel.exprs.var(var, acc), type), kernel_name_of(f_, value));
                e_.name_value(value, e_.kernel.exprs[rounded].var);
            }
        }
    }
    std::vector<const Output*> rows;
    for (const Output& o : outputs_) {
        if (!is_full(n, o.value)) rows.push_back(&o);
    }
    auto row_coords = [&](const Output& o) {
        // The kept axes in order; an axis of size 1 stands where the reduced one was kept.
        const Sizes& sizes = f_.type(o.value).sizes;
        Coords c;
        if (sizes.size() == n.space.size()) c.at = at;
        else {
            for (size_t d = 0; d < at.size(); ++d) {
                if (d != axis) c.at.push_back(at[d]);
            }
        }
        SIFR_CHECK(c.at.size() == sizes.size(), "a row value of {} axes in a space of {}", sizes.size(), n.space.size());
        return c;
    };
    for (const Output* o : rows) e_.element(o->value, row_coords(*o));
    for (const Output* o : rows) store(*o, row_coords(*o));
}

void GroupLowering::nest() {
    Nest n;
    for (InstId id : f_[group_.regions[0]].insts) {
        const Inst& inst = f_[id];
        if (inst.erased || def(inst.op).lower != Lower::Reduction) continue;
        const Sizes& sizes = f_.type(inst.operands[0]).sizes;
        int axis = reduced_axis(f_, inst);
        SIFR_CHECK(n.axis < 0 || (n.axis == axis && n.space == sizes), "reductions of different spaces in one group");
        n.axis = axis;
        n.space = sizes;
        n.reductions.insert(n.reductions.end(), inst.results.begin(), inst.results.end());
    }
    for (const Output& o : outputs_) {
        if (o.insert && !in_place_[o.result]) copy_rest(o);
    }
    std::vector<Affine> at;
    if (n.axis >= 0) {
        std::vector<bool> walked(n.space.size(), true);
        walked[static_cast<size_t>(n.axis)] = false;
        loops(n.space, walked, at, [&] { row(n, at); });
        return;
    }
    n.space = f_.type(outputs_.at(0).value).sizes;
    loops(n.space, std::vector<bool>(n.space.size(), true), at, [&] {
        Coords c{false, at};
        for (const Output& o : outputs_) e_.element(o.value, c);
        for (const Output& o : outputs_) store(o, c);
    });
}

}  // namespace sifr
