// dce: takes out pure instructions whose results nobody reads, and values that a loop or branch hands on for nobody.
//
//   %a, %b = for %i in 0..9 carrying %x = %p, %y = %q {          %a = for %i in 0..9 carrying %x = %p {
//     %u = exp %x                                                  %u = exp %x
//     %v = add %y, %x                                       =>     yield %u
//     yield %u, %v                                               }
//   }                                  // only %a is read
//
// Liveness by marking: what has an effect is live, and so is everything that a live instruction reads. A carried value is
// live when its result or its parameter is read by something live; being handed round for its own sake is not a use.
//
// It runs behind every pass that leaves dead instructions behind. A dead fill closes its row of the clear ledger: its
// zeros were never read.

#include "passes/functional/dce.h"

#include <algorithm>

#include "ir/op/op_def.h"

namespace sifr {
namespace {

bool is_loop(const Inst& inst) { return inst.op == "for"_op || inst.op == "while"_op; }
/// Operands in front of the carried ones, and parameters in front of them in a body.
size_t bounds_of(const Inst& inst) { return inst.op == "for"_op ? 3 : 0; }
size_t first_param(const Inst& inst) { return inst.op == "for"_op ? 1 : 0; }
/// The results of region `r` in front of the carried ones: the condition of a while.
size_t first_result(const Inst& inst, size_t r) { return inst.op == "while"_op && r == 0 ? 1 : 0; }

class Marker {
public:
    explicit Marker(const Function& f) : f_(f), live_values_(f.values.size()), live_insts_(f.insts.size()) {}

    void run() {
        for (ValueId v : f_[f_.body].results) mark(v);
        walk(f_, f_.body, [&](InstId id) {
            if (def(f_[id].op).effect != Effect::Pure) mark(id);
        });
        while (!work_.empty()) {
            ValueId v = work_.back();
            work_.pop_back();
            follow(v);
        }
    }
    [[nodiscard]] bool live(ValueId v) const { return live_values_[v.index]; }
    [[nodiscard]] bool live(InstId i) const { return live_insts_[i.index]; }

private:
    void mark(ValueId v) {
        if (live_values_[v.index]) return;
        live_values_[v.index] = true;
        work_.push_back(v);
    }

    void mark(InstId id) {
        if (live_insts_[id.index]) return;
        live_insts_[id.index] = true;
        const Inst& inst = f_[id];
        if (InstId parent = f_[inst.parent].parent; parent.valid()) mark(parent);
        if (is_loop(inst)) {
            for (size_t k = 0; k < bounds_of(inst); ++k) mark(inst.operands[k]);
            if (inst.op == "while"_op) mark(f_[inst.regions[0]].results.at(0));
        } else {
            for (ValueId v : inst.operands) mark(v);
        }
    }

    void follow(ValueId v) {
        const Value& value = f_[v];
        for (const RunTimeSize& s : value.type.run_time_sizes) mark(s.size);
        if (value.def == Value::Def::Result) {
            mark(value.inst);
            const Inst& inst = f_[value.inst];
            if (is_loop(inst)) carried(inst, value.position);
            else
                for (RegionId r : inst.regions) mark(f_[r].results.at(value.position));
        } else if (value.def == Value::Def::Parameter) {
            InstId parent = f_[value.region].parent;
            if (!parent.valid()) return;
            mark(parent);
            const Inst& inst = f_[parent];
            if (is_loop(inst)) {
                if (value.position >= first_param(inst)) carried(inst, value.position - first_param(inst));
            } else {
                mark(inst.operands.at(value.position));
            }
        }
    }

    void carried(const Inst& inst, size_t k) {
        mark(inst.operands.at(bounds_of(inst) + k));
        mark(inst.results.at(k));
        for (size_t r = 0; r < inst.regions.size(); ++r) {
            const Region& region = f_[inst.regions[r]];
            mark(region.params.at(first_param(inst) + k));
            if (r + 1 == inst.regions.size()) mark(region.results.at(k));
        }
    }

    const Function& f_;
    std::vector<char> live_values_, live_insts_;
    std::vector<ValueId> work_;
};

template <class T>
void keep(std::vector<T>& list, size_t offset, const std::vector<bool>& live) {
    size_t out = offset;
    for (size_t k = 0; k < live.size(); ++k)
        if (live[k]) list[out++] = list[offset + k];
    list.resize(out);
}

class Sweeper {
public:
    Sweeper(Function& f, const Marker& marks) : f_(f), marks_(marks) {}

    bool sweep(RegionId r) {
        bool changed = false;
        std::vector<InstId> kept;
        for (InstId id : std::vector<InstId>(f_[r].insts)) {
            if (f_[id].erased) continue;
            if (!marks_.live(id)) {
                close(id);
                changed = true;
                continue;
            }
            kept.push_back(id);
            changed |= prune(id);
            for (size_t k = 0; k < f_[id].regions.size(); ++k) changed |= sweep(f_[id].regions[k]);
        }
        f_[r].insts = std::move(kept);
        return changed;
    }

    /// Clears that nothing carries out any more.
    void close_ledger() {
        std::vector<bool> carried(f_.ledger.size());
        walk(f_, f_.body, [&](InstId id) {
            for (ClearId c : f_[id].clears) carried[c.index] = true;
        });
        std::vector<ClearId> open;
        for (ClearId c : dropped_)
            if (!carried[c.index] && f_[c].verdict == Clear::Verdict::Open) open.push_back(c);
        close_clears(f_, open, Clear::Verdict::Removed, 0, "dce", "its zeros are never read");
    }

private:
    void close(InstId id) {
        Inst& inst = f_[id];
        inst.erased = true;
        dropped_.insert(dropped_.end(), inst.clears.begin(), inst.clears.end());
        for (RegionId r : inst.regions)
            for (InstId inner : std::vector<InstId>(f_[r].insts))
                if (!f_[inner].erased) close(inner);
    }

    /// Takes dead results (and what carries them) off a live instruction with regions.
    bool prune(InstId id) {
        Inst& inst = f_[id];
        if (inst.regions.empty() || (!is_loop(inst) && inst.op != "if"_op)) return false;
        std::vector<bool> live;
        for (ValueId v : inst.results) live.push_back(marks_.live(v));
        if (std::find(live.begin(), live.end(), false) == live.end()) return false;
        if (is_loop(inst)) keep(inst.operands, bounds_of(inst), live);
        for (size_t r = 0; r < inst.regions.size(); ++r) {
            Region& region = f_[inst.regions[r]];
            if (is_loop(inst)) {
                keep(region.params, first_param(inst), live);
                for (size_t p = 0; p < region.params.size(); ++p) f_[region.params[p]].position = static_cast<uint32_t>(p);
            }
            if (first_result(inst, r) == 0) keep(region.results, 0, live);
        }
        keep(inst.results, 0, live);
        for (size_t k = 0; k < inst.results.size(); ++k) f_[inst.results[k]].position = static_cast<uint32_t>(k);
        return true;
    }

    Function& f_;
    const Marker& marks_;
    std::vector<ClearId> dropped_;
};

}  // namespace

bool eliminate_dead_code(Functional& functional, PassContext&) {
    Function& f = functional.function;
    Marker marks(f);
    marks.run();
    Sweeper sweeper(f, marks);
    bool changed = sweeper.sweep(f.body);
    sweeper.close_ledger();
    return changed;
}

}  // namespace sifr
