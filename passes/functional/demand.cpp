#include "passes/functional/demand.h"

#include <algorithm>

#include "ir/op/op_def.h"
#include "ir/type/covered_box.h"

namespace sifr {
namespace {

constexpr int most_steps = 4000;  ///< of one question

bool is_loop(const Inst& inst) { return inst.op == "for"_op || inst.op == "while"_op; }
size_t bounds_of(const Inst& loop) { return loop.op == "for"_op ? 3 : 0; }
size_t first_param(const Inst& loop) { return loop.op == "for"_op ? 1 : 0; }

/// A run-time integer as scale · root + offset.
struct Linear {
    ValueId root;
    int64_t scale = 1, offset = 0;
};
Linear linear(const Function& f, ValueId v) {
    Linear out{v};
    while (const Inst* p = f.producer(out.root)) {
        if (p->operands.size() != 2) break;
        auto left = f.constant_int(p->operands[0]), right = f.constant_int(p->operands[1]);
        if (left && right) break;
        if (p->op == "iadd"_op && (left || right)) {
            out.offset += out.scale * (left ? *left : *right);
            out.root = p->operands[left ? 1 : 0];
        } else if (p->op == "isub"_op && right) {
            out.offset -= out.scale * *right;
            out.root = p->operands[0];
        } else if (p->op == "imul"_op && (left || right) && (left ? *left : *right) != 0) {
            out.scale *= left ? *left : *right;
            out.root = p->operands[left ? 1 : 0];
        } else {
            break;
        }
    }
    return out;
}

/// The lowest place of an axis of a box whose index stands at 0, and how many it spans if it has no gaps.
struct Solid {
    int64_t start, extent;
};
std::optional<Solid> solid(const Box& b, size_t a) {
    if (b.extents[a] > 1 && std::abs(b.steps[a]) != 1) return std::nullopt;
    int64_t start = b.steps[a] < 0 ? b.starts[a] - (b.extents[a] - 1) : b.starts[a];
    return Solid{start, b.extents[a]};
}

}  // namespace

Demand::Demand(const Function& f) : f_(f), uses_(compute_uses(f)) {}

void Demand::all(Wanted& w, ValueId v, InstId reader) const {
    if (!w.reader.valid()) w.reader = reader;
    w.elements = RegionSet::whole(f_.type(v).sizes);
}

void Demand::unite(Wanted& w, ValueId v, const Wanted& more) const {
    if (more.elements.empty()) return;
    if (!w.reader.valid()) w.reader = more.reader;
    if (!w.elements.add(more.elements)) all(w, v, more.reader);
}

Demand::Wanted Demand::of(ValueId v) {
    if (auto at = known_.find(v); at != known_.end()) return at->second;
    if (open_.empty()) steps_ = 0;
    Wanted out;
    int64_t everything = f_.type(v).numel();
    for (const Use& u : uses_[v.index]) {
        if (++steps_ > most_steps) all(out, v, u.inst);
        if (out.elements.count() == everything) break;
        use(out, v, u);
    }
    // Inside of a loop that is being looked at, what its later trips want is not in the answer.
    if (open_.empty() && steps_ <= most_steps) known_[v] = out;
    return out;
}

void Demand::use(Wanted& w, ValueId v, const Use& u) {
    if (u.operand == Use::view_operand || u.operand == Use::dest_operand) return all(w, v, u.inst);
    if (!u.inst.valid()) {
        InstId parent = f_[u.region].parent;
        if (!parent.valid()) return all(w, v, {});
        const Inst& inst = f_[parent];
        if (inst.op == "if"_op) return unite(w, v, of(inst.results[u.operand]));
        if (!is_loop(inst) || u.region != inst.regions.back()) return all(w, v, parent);
        unite(w, v, of(inst.results[u.operand]));
        return parameters(w, inst, u.operand);
    }
    const Inst& inst = f_[u.inst];
    if (is_loop(inst) && u.operand >= bounds_of(inst)) return initial(w, v, inst, u.operand - bounds_of(inst));
    bool insert = inst.op == "insert"_op;
    if (insert || inst.op == "insert_add"_op) {
        if (u.operand > 1) return all(w, v, u.inst);
        Wanted result = of(inst.results[0]);
        const Layout& layout = inst.attrs.get<Layout>("layout");
        const Sizes& frame = f_.type(inst.results[0]).sizes;
        std::optional<Box> box = layout.is_static() ? covered_box(layout, frame) : std::nullopt;
        std::optional<RegionSet::Product> places = box ? RegionSet::of_box(*box) : std::nullopt;
        if (u.operand == 1) {
            if (places && !result.elements.intersect(*places)) return all(w, v, result.reader);
            if (!result.elements.empty()) all(w, v, result.reader.valid() ? result.reader : u.inst);
            return;
        }
        if (insert && places) result.elements.subtract(*places);
        return unite(w, v, result);
    }
    if (inst.op == "extract"_op && u.operand == 0) {
        const Layout& layout = inst.attrs.get<Layout>("layout");
        if (uses_[inst.results[0].index].empty() || layout.numel() == 0) return;
        std::optional<Box> box = layout.is_static() ? covered_box(layout, f_.type(v).sizes) : std::nullopt;
        std::optional<RegionSet::Product> places = box ? RegionSet::of_box(*box) : std::nullopt;
        if (!places) return all(w, v, u.inst);
        Wanted part;
        part.reader = u.inst;
        if (!part.elements.add(*places)) return all(w, v, u.inst);
        return unite(w, v, part);
    }
    // Reads that nobody reads are no reads.
    bool dead = inst.regions.empty() && def(inst.op).effect == Effect::Pure &&
                std::all_of(inst.results.begin(), inst.results.end(), [&](ValueId r) { return uses_[r.index].empty(); });
    if (!dead) all(w, v, u.inst);
}

/// What the trips of a loop that are still to come want of what they are handed.
void Demand::parameters(Wanted& w, const Inst& loop, size_t slot) {
    for (RegionId r : loop.regions) {
        ValueId p = f_[r].params[first_param(loop) + slot];
        if (!open_.insert(p).second) continue;
        Wanted more = of(p);
        open_.erase(p);
        unite(w, p, more);
    }
}

/// What a loop wants of the value that a carried one starts as.
void Demand::initial(Wanted& w, ValueId v, const Inst& loop, size_t slot) {
    std::optional<Trips> t = trips(loop);
    std::vector<Access> seen;
    RegionId body = loop.regions.back();
    ValueId param = f_[body].params[first_param(loop) + slot];
    if (!t || t->count < 1 || !accesses(body, param, slot, seen)) {
        unite(w, v, of(loop.results[slot]));
        return parameters(w, loop, slot);
    }
    ValueId index = f_[body].params[0];
    RegionSet written;
    for (const Access& a : seen) {
        if (!a.write) continue;
        std::optional<Box> box = swept(a, index, *t);
        std::optional<RegionSet::Product> places = box ? RegionSet::of_box(*box) : std::nullopt;
        if (places) written.add(*places);  // too many: then it counts as unwritten
    }
    for (const Access& a : seen) {
        if (a.write) continue;
        Wanted part;
        part.reader = a.by;
        std::optional<Box> box = a.whole ? std::nullopt : swept(a, index, *t);
        std::optional<RegionSet::Product> places = box ? RegionSet::of_box(*box) : std::nullopt;
        if (!a.whole && written_before(a, seen, index, *t, part.elements)) unite(w, v, part);
        else if (places && part.elements.add(*places)) unite(w, v, part);
        else all(w, v, a.by);
    }
    Wanted behind = of(loop.results[slot]);
    behind.elements.subtract(written);
    unite(w, v, behind);
}

std::optional<Demand::Trips> Demand::trips(const Inst& loop) const {
    if (loop.op != "for"_op) return std::nullopt;
    auto lo = f_.constant_int(loop.operands[0]), hi = f_.constant_int(loop.operands[1]), step = f_.constant_int(loop.operands[2]);
    if (!lo || !hi || !step || *step == 0) return std::nullopt;
    int64_t count = *step > 0 ? (*hi - *lo + *step - 1) / *step : (*lo - *hi - *step - 1) / -*step;
    return Trips{*lo, std::max<int64_t>(count, 0), *step};
}

bool Demand::access(Access& a, const Layout& layout, const Sizes& frame, const Inst& inst, size_t first_index) const {
    std::optional<Box> box = covered_box(layout, frame);
    if (!box) return false;
    a.box = std::move(*box);
    a.box.axis_of.clear();
    for (size_t axis = 0; axis < a.box.terms.size(); ++axis)
        for (Box::IndexTerm& term : a.box.terms[axis]) {
            Linear l = linear(f_, inst.operands[first_index + static_cast<size_t>(term.index)]);
            a.box.starts[axis] += term.scale * l.offset;
            term.scale *= l.scale;
            auto at = std::find(a.indices.begin(), a.indices.end(), l.root);
            term.index = static_cast<int>(at - a.indices.begin());
            if (at == a.indices.end()) a.indices.push_back(l.root);
        }
    return true;
}

/// All reads and writes of a carried value on its way through a body, in order. False where it goes two ways.
bool Demand::accesses(RegionId body, ValueId v, size_t slot, std::vector<Access>& out) {
    for (;;) {
        if (++steps_ > most_steps) return false;
        ValueId next;
        bool handed_on = false;
        std::vector<Access> then;  // what happens behind all reads of v
        for (const Use& u : uses_[v.index]) {
            if (!u.inst.valid()) {
                if (u.region != body || u.operand != slot || next.valid() || handed_on) return false;
                handed_on = true;
                continue;
            }
            const Inst& inst = f_[u.inst];
            Access a;
            a.by = u.inst;
            const Layout* layout = inst.op == "extract"_op || inst.op == "insert"_op ? &inst.attrs.get<Layout>("layout") : nullptr;
            if (inst.op == "extract"_op && u.operand == 0) {
                a.whole = !access(a, *layout, f_.type(v).sizes, inst, 1);
                out.push_back(std::move(a));
            } else if (inst.op == "insert"_op && u.operand == 0) {
                if (next.valid() || handed_on || inst.parent != body) return false;
                next = inst.results[0];
                a.write = true;
                if (access(a, *layout, f_.type(v).sizes, inst, 2)) then.push_back(std::move(a));
            } else if (is_loop(inst) && u.operand >= bounds_of(inst)) {
                if (next.valid() || handed_on || inst.parent != body) return false;
                next = inst.results[u.operand - bounds_of(inst)];
                if (!inner_loop(u.inst, u.operand - bounds_of(inst), then)) return false;
            } else {
                a.whole = true;
                out.push_back(std::move(a));
            }
        }
        out.insert(out.end(), then.begin(), then.end());
        if (handed_on) return true;
        if (!next.valid()) return false;
        v = next;
    }
}

/// The accesses of an inner loop, over all of its trips.
bool Demand::inner_loop(InstId id, size_t slot, std::vector<Access>& out) {
    const Inst& loop = f_[id];
    if (loop.op != "for"_op) return false;
    RegionId body = loop.regions[0];
    std::vector<Access> inside;
    if (!accesses(body, f_[body].params[1 + slot], slot, inside)) return false;
    ValueId index = f_[body].params[0];
    std::optional<Trips> t = trips(loop);
    for (Access& a : inside) {
        std::optional<Box> box = a.whole || !t || t->count < 1 ? std::nullopt : swept(a, index, *t);
        // What only runs inside is unknown outside.
        for (ValueId i : a.indices)
            if (box && i != index && made_inside(i, body)) box.reset();
        if (box) a.box = std::move(*box);
        else if (a.write) continue;
        else a.whole = true;
        out.push_back(std::move(a));
    }
    return true;
}

bool Demand::made_inside(ValueId v, RegionId body) const {
    RegionId r = f_[v].def == Value::Def::Parameter ? f_[v].region : f_[v].def == Value::Def::Result ? f_[f_[v].inst].parent : RegionId();
    while (r.valid()) {
        if (r == body) return true;
        InstId parent = f_[r].parent;
        if (!parent.valid()) return false;
        r = f_[parent].parent;
    }
    return false;
}

/// The places over all trips. Terms of other indices stay.
std::optional<Box> Demand::swept(const Access& a, ValueId index, const Trips& t) const {
    auto at = std::find(a.indices.begin(), a.indices.end(), index);
    if (at == a.indices.end()) return a.box;
    int number = static_cast<int>(at - a.indices.begin());
    int64_t last = t.first + (t.count - 1) * t.step;
    return RegionSet::swept_box(a.box, number, std::min(t.first, last), std::max(t.first, last) + 1, std::abs(t.step));
}

/// A read along the axis that the loop's index moves, of what earlier trips have written: what is left is what the first
/// trip reads, and the places in front of its write.
bool Demand::written_before(const Access& read, const std::vector<Access>& all, ValueId index, const Trips& t, RegionSet& unwritten) const {
    auto moved_axis = [&](const Access& a) -> int {
        int axis = -1;
        for (size_t d = 0; d < a.box.terms.size(); ++d) {
            if (a.box.terms[d].empty()) continue;
            if (axis >= 0 || a.box.terms[d].size() != 1 || a.indices[static_cast<size_t>(a.box.terms[d][0].index)] != index) return -1;
            axis = static_cast<int>(d);
        }
        return axis;
    };
    int axis = moved_axis(read);
    if (axis < 0) return false;
    size_t x = static_cast<size_t>(axis);
    int64_t scale = read.box.terms[x][0].scale, move = scale * t.step;
    auto r = solid(read.box, x);
    if (!r) return false;
    Box still = read.box;
    still.terms[x].clear();
    std::optional<RegionSet::Product> read_places = RegionSet::of_box(still);
    if (!read_places) return false;
    for (const Access& a : all) {
        if (!a.write || moved_axis(a) != axis || a.box.terms[x][0].scale != scale) continue;
        auto w = solid(a.box, x);
        if (!w || std::abs(move) > w->extent) continue;
        Box written_box = a.box;
        written_box.terms[x].clear();
        std::optional<RegionSet::Product> written = RegionSet::of_box(written_box);
        if (!written) continue;
        // On the other axes the write covers the read.
        RegionSet rest;
        RegionSet::Product others = *read_places;
        others[x] = {{0, 1}};
        RegionSet::Product cover = *written;
        cover[x] = {{0, 1}};
        if (!rest.add(others) || !rest.subtract(cover) || !rest.empty()) continue;
        int64_t begin, end;  // what the first trips read in front of all writes
        if (move > 0) {
            if (r->start + r->extent > w->start - move + w->extent) continue;
            begin = r->start + scale * t.first;
            end = std::max(w->start, r->start + r->extent) + scale * t.first;
        } else {
            if (r->start < w->start - move) continue;
            begin = std::min(w->start + w->extent, r->start) + scale * t.first;
            end = r->start + r->extent + scale * t.first;
        }
        RegionSet::Product left = *read_places;
        left[x] = {{begin, end}};
        return unwritten.add(left);
    }
    return false;
}

}  // namespace sifr
