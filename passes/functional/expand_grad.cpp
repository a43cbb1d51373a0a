// expand-grad: gradients become ordinary instructions.
//
//   %m = mul %x, %w                                  %m = mul %x, %w
//   %y = sum %m                                      %y = sum %m
//   %d = backward %y wrt %w              =>          %g = full [], 1.0
//                                                    %e = extract %g (0,0)        the gradient of %m: %g, broadcast
//                                                    %d = mul %e, %x
//
// Reverse mode over values: from the losses back to the `wrt`, in reverse program order, by the rows' own VJP rules.
// Contributions to one value are added in the order in which they arise, which is the engine's (latest node first).
// `detach` stops a gradient, `leaf` is where one ends, `untracked new as old` hands it on to `old` alone, and behind `reading` the
// rule of an instruction sees other values than its operands.
//
// An `if` on the way is differentiated by an `if` on the same condition: each arm runs the forward again and then
// backwards, so that no value has to leave the forward's arms. A loop on the way is refused: capture unrolls what a
// gradient has to cross.
//
// It stands behind functionalize, where an in-place write is an `insert` with a VJP of its own, and in front of
// everything that may forget who read what. Gradients nest in program order: a later `backward` differentiates the
// instructions that an earlier one with `create` became; without `create` they are detached.

#include "passes/functional/expand_grad.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/base/planted_fault.h"
#include "ir/func/builder.h"
#include "ir/op/vjp.h"

namespace sifr {
namespace {

bool differentiable(const Type& t) { return t.is_tensor() && is_float(t.dtype); }

/// Gradients of values, as they add up.
class Adjoints {
public:
    void add(Builder& b, ValueId of, ValueId g) {
        if (!g.valid()) return;
        auto [at, fresh] = grads_.try_emplace(of, g);
        if (!fresh) at->second = planted(Fault::GradientNotSummed) ? g : b.emit("add"_op, {at->second, g});
    }
    void set(ValueId of, ValueId g) { grads_[of] = g; }
    [[nodiscard]] ValueId get(ValueId of) const {
        auto at = grads_.find(of);
        return at == grads_.end() ? ValueId() : at->second;
    }

private:
    std::map<ValueId, ValueId> grads_;
};

class ExpandGrad {
public:
    explicit ExpandGrad(Function& f) : f_(f) {}

    bool run() {
        bool changed = false;
        region(f_.body, changed);
        changed |= drop_history();
        f_.facts.differentiated = true;
        return changed;
    }

private:
    void region(RegionId r, bool& changed) {
        for (size_t i = 0; i < f_[r].insts.size(); ++i) {
            InstId id = f_[r].insts[i];
            if (f_[id].erased) continue;
            for (size_t k = 0; k < f_[id].regions.size(); ++k) region(f_[id].regions[k], changed);
            if (f_[id].op == "reading"_op) {
                readings_[f_[id].operands[0]][f_[id].attrs.get<int64_t>("slot")] = f_[id].operands[1];
                f_.erase(id);
                changed = true;
                i = static_cast<size_t>(-1);
                continue;
            }
            if (f_[id].op != "backward"_op) continue;
            expand(id);
            changed = true;
            // Erasing takes the instruction out of the region's list; what was inserted stands in front of it.
            i = static_cast<size_t>(-1);
        }
    }

    /// The operands through which a gradient may pass.
    static std::vector<bool> passing(const Function& f, const Inst& inst) {
        std::vector<bool> out(inst.operands.size(), false);
        if ((inst.op == "detach"_op && !planted(Fault::DetachPasses)) || inst.op == "leaf"_op) return out;
        if (inst.op == "untracked"_op) {
            out[1] = true;
            return out;
        }
        for (size_t k = 0; k < out.size(); ++k) out[k] = differentiable(f.type(inst.operands[k]));
        return out;
    }

    /// The instructions of region `r` (in program order) on a path from one of `from` to one of `to`, and the values on it.
    struct Paths {
        std::vector<InstId> insts;
        std::set<ValueId> active;  ///< depend on `from`
    };
    Paths find_paths(RegionId r, size_t end, const std::vector<ValueId>& from, const std::vector<ValueId>& to) {
        Paths paths;
        paths.active.insert(from.begin(), from.end());
        std::vector<InstId> candidates;
        // Values of enclosing regions that depend on `from` are found by walking those regions too.
        std::vector<std::pair<RegionId, size_t>> chain{{r, end}};
        for (InstId p = f_[r].parent; p.valid(); p = f_[f_[p].parent].parent) {
            const std::vector<InstId>& list = f_[f_[p].parent].insts;
            chain.emplace_back(f_[p].parent, static_cast<size_t>(std::find(list.begin(), list.end(), p) - list.begin()));
        }
        for (auto it = chain.rbegin(); it != chain.rend(); ++it)
            for (size_t i = 0; i < it->second; ++i) {
                InstId id = f_[it->first].insts[i];
                if (f_[id].erased) continue;
                if (depends(id, paths.active)) {
                    candidates.push_back(id);
                    for (ValueId v : f_[id].results)
                        if (differentiable(f_.type(v))) paths.active.insert(v);
                }
            }
        std::set<ValueId> wanted(to.begin(), to.end());
        for (auto it = candidates.rbegin(); it != candidates.rend(); ++it) {
            const Inst& inst = f_[*it];
            if (std::none_of(inst.results.begin(), inst.results.end(), [&](ValueId v) { return wanted.count(v) > 0; })) continue;
            paths.insts.push_back(*it);
            std::vector<bool> pass = passing(f_, inst);
            for (size_t k = 0; k < inst.operands.size(); ++k)
                if (pass[k]) wanted.insert(inst.operands[k]);
            for (RegionId inner : inst.regions)
                walk(f_, inner, [&](InstId id) {
                    for (ValueId v : f_[id].operands) wanted.insert(v);
                });
            for (RegionId inner : inst.regions)
                for (ValueId v : f_[inner].results) wanted.insert(v);
        }
        std::reverse(paths.insts.begin(), paths.insts.end());
        return paths;
    }

    bool depends(InstId id, const std::set<ValueId>& active) {
        const Inst& inst = f_[id];
        std::vector<bool> pass = passing(f_, inst);
        for (size_t k = 0; k < inst.operands.size(); ++k)
            if (pass[k] && active.count(inst.operands[k])) return true;
        bool inside = false;
        for (RegionId r : inst.regions) {
            walk(f_, r, [&](InstId inner) {
                std::vector<bool> p = passing(f_, f_[inner]);
                for (size_t k = 0; k < p.size(); ++k) inside |= p[k] && active.count(f_[inner].operands[k]) > 0;
            });
            for (ValueId v : f_[r].results) inside |= active.count(v) > 0;
        }
        return inside;
    }

    /// Runs the instructions of a path backwards, from gradients in `adjoints`.
    void reverse(Builder& b, const Paths& paths, Adjoints& adjoints) {
        for (auto it = paths.insts.rbegin(); it != paths.insts.rend(); ++it) {
            const Inst inst = f_[*it];
            std::vector<ValueId> grads;
            bool any = false;
            for (ValueId r : inst.results) {
                grads.push_back(stops_.count(r) ? ValueId() : adjoints.get(r));
                any |= grads.back().valid();
            }
            if (!any) continue;
            b.at(inst.location);
            if (inst.op == "if"_op) {
                reverse_if(b, inst, grads, paths.active, adjoints);
                continue;
            }
            if (inst.op == "for"_op || inst.op == "while"_op)
                throw NotSupported("a gradient through a loop that is not unrolled", "compile with --loops=unroll, or give the loop a trip count that is known");
            if (inst.op == "untracked"_op) {
                adjoints.add(b, inst.operands[1], grads[0]);
                continue;
            }
            if (planted(Fault::DetachPasses) && inst.op == "detach"_op) {
                adjoints.add(b, inst.operands[0], grads[0]);
                continue;
            }
            std::vector<bool> needs;
            for (ValueId v : inst.operands) needs.push_back(paths.active.count(v) > 0);
            const OpDef& row = def(inst.op);
            if (!row.vjp) throw NotSupported(fmt::format("the gradient of '{}'", row.name));
            std::vector<ValueId> out = row.vjp(*std::make_unique<Vjp>(b, as_read(inst), grads, needs));
            SIFR_CHECK(out.size() <= inst.operands.size(), "the VJP of '{}' gives {} gradients for {} operands", row.name, out.size(),
                       inst.operands.size());
            for (size_t k = 0; k < out.size(); ++k)
                if (needs[k]) adjoints.add(b, inst.operands[k], out[k]);
        }
    }

    /// The instruction with what gradients read in place of its operands and results.
    Inst as_read(Inst inst) const {
        if (inst.results.empty()) return inst;
        const auto at = readings_.find(inst.results[0]);
        if (at == readings_.end()) return inst;
        for (auto [slot, value] : at->second)
            (slot >= 0 ? inst.operands.at(static_cast<size_t>(slot)) : inst.results.at(static_cast<size_t>(-1 - slot))) = value;
        return inst;
    }

    void reverse_if(Builder& b, const Inst& inst, const std::vector<ValueId>& grads, const std::set<ValueId>& active, Adjoints& adjoints) {
        // Values from outside that the arms read and whose gradients are wanted.
        std::vector<ValueId> outer;
        auto note = [&](ValueId v) {
            if (active.count(v) && std::find(outer.begin(), outer.end(), v) == outer.end()) outer.push_back(v);
        };
        std::set<ValueId> inside;
        for (RegionId r : inst.regions) {
            walk(f_, r, [&](InstId id) {
                for (ValueId v : f_[id].results) inside.insert(v);
            });
        }
        for (RegionId r : inst.regions) {
            walk(f_, r, [&](InstId id) {
                for (ValueId v : f_[id].operands)
                    if (!inside.count(v)) note(v);
            });
            for (ValueId v : f_[r].results)
                if (!inside.count(v)) note(v);
        }
        InstId made = b.emit_typed("if"_op, {inst.operands[0]}, {}, {});
        // Per arm, where it has one: the gradient of each of them.
        std::vector<std::vector<ValueId>> found;
        for (RegionId r : inst.regions) {
            RegionId nr = f_.add_region(made);
            ValueMap map;
            for (size_t i = 0; i < f_.values.size(); ++i) map.set(ValueId(i), ValueId(i));
            for (size_t i = 0; i < f_[r].insts.size(); ++i)
                if (InstId id = f_[r].insts[i]; !f_[id].erased && def(f_[id].op).effect == Effect::Pure) clone_inst(f_, id, f_, nr, map);
            Builder inner(f_, nr, inst.location);
            Adjoints local;
            std::vector<ValueId> ends;
            for (size_t k = 0; k < f_[r].results.size(); ++k) {
                ValueId end = map.get(f_[r].results[k]);
                ends.push_back(end);
                if (grads[k].valid()) local.add(inner, end, grads[k]);
            }
            Paths paths = find_paths(nr, f_[nr].insts.size(), outer, ends);
            std::erase_if(paths.insts, [&](InstId id) { return f_[id].parent != nr; });
            reverse(inner, paths, local);
            found.emplace_back();
            for (ValueId v : outer) found.back().push_back(local.get(v));
        }
        // What no arm has a gradient for gets none. Sums go on inside of the arms: one without a gradient leaves the sum as it is, to the
        // sign of its zeros.
        std::vector<ValueId> taken;
        for (size_t k = 0; k < outer.size(); ++k)
            if (std::ranges::any_of(found, [&](const auto& arm) { return arm[k].valid(); })) taken.push_back(outer[k]);
        for (size_t arm = 0; arm < found.size(); ++arm) {
            const RegionId nr = f_[made].regions[arm];
            Builder inner(f_, nr, inst.location);
            for (size_t k = 0; k < outer.size(); ++k) {
                if (std::ranges::find(taken, outer[k]) == taken.end()) continue;
                ValueId sum = adjoints.get(outer[k]), g = found[arm][k];
                if (!sum.valid() && !g.valid())
                    g = inner.full(f_.type(outer[k]).dtype, f_.type(outer[k]).sizes, 0.0);
                else if (!g.valid())
                    g = sum;
                else if (sum.valid() && !planted(Fault::BranchForgetsSum))
                    g = inner.emit("add"_op, {sum, g});
                f_[nr].results.push_back(g);
            }
        }
        for (ValueId v : taken) {
            Value sum;
            sum.type = f_.type(v);
            sum.inst = made;
            sum.position = static_cast<uint32_t>(f_[made].results.size());
            const ValueId result = f_.add_value(std::move(sum));
            f_[made].results.push_back(result);
            adjoints.set(v, result);
        }
    }

    void expand(InstId id) {
        const Inst inst = f_[id];
        size_t losses = static_cast<size_t>(inst.attrs.get<int64_t>("losses"));
        bool from = inst.attrs.get_or<bool>("from", false);
        bool create = inst.attrs.get_or<bool>("create", false);
        size_t first_wrt = from ? 2 * losses : losses;
        std::vector<ValueId> ends(inst.operands.begin(), inst.operands.begin() + static_cast<ptrdiff_t>(losses));
        std::vector<ValueId> wrt(inst.operands.begin() + static_cast<ptrdiff_t>(first_wrt), inst.operands.end());

        size_t fills_before = f_.insts.size();
        Builder b(f_, inst.parent, inst.location);
        b.before(id);
        const std::vector<InstId>& list = f_[inst.parent].insts;
        size_t position = static_cast<size_t>(std::find(list.begin(), list.end(), id) - list.begin());
        Paths paths = find_paths(inst.parent, position, wrt, ends);
        Adjoints adjoints;
        for (size_t k = 0; k < losses; ++k) {
            const Type t = f_.type(ends[k]);
            ValueId seed = from ? inst.operands[losses + k] : b.full(t.dtype, t.sizes, 1.0);
            adjoints.add(b, ends[k], seed);
        }
        stops_ = {wrt.begin(), wrt.begin() + static_cast<ptrdiff_t>(inst.attrs.get_or<int64_t>("stop", 0))};
        reverse(b, paths, adjoints);
        stops_.clear();
        b.at(inst.location);
        for (size_t k = 0; k < wrt.size(); ++k) {
            ValueId g = adjoints.get(wrt[k]);
            const Type t = f_.type(wrt[k]);
            if (!g.valid()) g = b.full(t.dtype, t.sizes, 0.0);
            if (!create) g = b.emit("detach"_op, {g});
            replace_uses(f_, inst.results[k], g);
        }
        note_clears(fills_before, inst.location);
        f_.erase(id);
    }

    /// Zero fills that the rules made are clears of autograd's own.
    void note_clears(size_t first, const Location& location) {
        for (size_t i = first; i < f_.insts.size(); ++i) {
            if (f_.insts[i].erased || f_.insts[i].op != "full"_op || !f_.insts[i].clears.empty()) continue;
            if (f_.constant_float(f_.insts[i].operands[0]) != 0.0) continue;
            Clear c;
            c.location = location;
            c.origin = Clear::Origin::Autograd;
            c.bytes = c.kept_bytes = f_.type(f_.insts[i].results[0]).bytes();
            ClearId id = f_.add_clear(std::move(c));
            f_.insts[i].clears.push_back(id);
        }
    }

    /// No gradient is left to ask: histories end.
    bool drop_history() {
        bool changed = false;
        std::vector<ValueId> to(f_.values.size());
        for (size_t i = 0; i < to.size(); ++i) to[i] = ValueId(i);
        std::vector<InstId> gone;
        walk(f_, f_.body, [&](InstId id) {
            const Inst& inst = f_[id];
            if (inst.op != "leaf"_op && inst.op != "detach"_op && inst.op != "untracked"_op) return;
            to[inst.results[0].index] = to[inst.operands[0].index];
            gone.push_back(id);
        });
        if (gone.empty()) return changed;
        auto redirect = [&](std::vector<ValueId>& vs) {
            for (ValueId& v : vs) v = to[v.index];
        };
        // In program order every operand is final when it is met, so one sweep is enough.
        for (Inst& inst : f_.insts) redirect(inst.operands);
        for (Region& r : f_.regions) redirect(r.results);
        for (InstId id : gone) f_.erase(id);
        return true;
    }

    Function& f_;
    /// By first result: what stands for an operand, or (-1 - k) for result k, in the gradients behind a `reading`.
    std::map<ValueId, std::map<int64_t, ValueId>> readings_;
    std::set<ValueId> stops_;  ///< values that take their gradient and pass none on, for the `backward` being expanded
};

}  // namespace

bool expand_grad(Functional& functional, PassContext&) { return ExpandGrad(functional.function).run(); }

}  // namespace sifr
