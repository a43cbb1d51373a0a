// simplify: each instruction in its simplest equal form, bit for bit.
//
//   %a = extract %x +3 (3,1)        : f32[2,3]
//   %b = extract %a +1 (3,1)        : f32[2,2]      =>   %b = extract %x +4 (3,1)
//   %c = insert %x +4 (3,1), %p
//   %d = extract %c +4 (3,1)                        =>   %p
//   %e = mul %b, (full 1.0)                         =>   %b
//
// Rules stand by topic in this folder: view_rules (extract and insert), value_rules (identities, fills as numbers, copies),
// sum_rules (sums of pieces in zeros).
// A rule looks at one instruction and what makes its operands. Loops hand on what does not change no longer, and what an `if`
// only chooses between two tensors is chosen by a `where`, which fuses with its readers:
//
//   %b = if %first { yield %g } else { yield %a }   =>   %b = where (full %first), %g, %a
//
// It stands behind expand-grad (whose rules build plainly and leave the tidying to it) and in front of cse, fuse and the
// passes that reason about clears, which see fewer forms for it.

#include "passes/functional/simplify/simplify.h"

#include <algorithm>

#include "passes/functional/simplify/rules.h"

namespace sifr {
namespace {

class Simplify {
public:
    explicit Simplify(Function& f) : f_(f) {}

    bool run() {
        counts_.assign(f_.values.size(), 0);
        uses_ = compute_uses(f_);
        for (size_t i = 0; i < uses_.size(); ++i) counts_[i] = static_cast<uint32_t>(uses_[i].size());
        region(f_.body);
        if (!changed_) return false;
        replaced_.apply(f_);
        for (InstId id : gone_) f_.erase(id);
        return true;
    }

private:
    void region(RegionId r) {
        for (size_t i = 0; i < f_[r].insts.size(); ++i) {
            InstId id = f_[r].insts[i];
            if (f_[id].erased) continue;
            replaced_.apply(f_[id].operands);
            // Before the body, which then sees what was carried for nothing, and behind it, for what the body has become.
            bool loop = f_[id].op == "for"_op || f_[id].op == "while"_op;
            if (loop) unchanging(id);
            for (size_t k = 0; k < f_[id].regions.size(); ++k) region(f_[id].regions[k]);
            if (loop) unchanging(id);
            if (f_[id].op == "if"_op) choices(id);
            if (f_[id].results.size() != 1 || def(f_[id].op).effect != Effect::Pure) continue;
            const Inst inst = f_[id];
            Builder b(f_, r, inst.location);
            b.before(id);
            simplify_rules::Context c{f_, b, inst, counts_};
            size_t made = f_.insts.size(), values = f_.values.size();
            std::optional<ValueId> v = apply(c);
            if (!v || *v == inst.results[0]) continue;
            clears(inst, made);
            replace(inst.results[0], *v, v->index >= values);
            gone_.push_back(id);
            // New instructions stand in front of the old one: look at them again from the first.
            while (f_[r].insts[i] != id) ++i;
        }
        replaced_.apply(f_[r].results);
    }

    /// The rows of the fills that `inst` reads go to the fills that stand in its place; where there are none, the zeros are
    /// known there.
    void clears(const Inst& inst, size_t first_made) {
        std::vector<ClearId> ids;
        for (ValueId v : inst.operands)
            if (const Inst* fill = f_.producer(v); fill && fill->op == "full"_op) ids.insert(ids.end(), fill->clears.begin(), fill->clears.end());
        if (ids.empty()) return;
        bool carried = false;
        for (size_t k = first_made; k < f_.insts.size(); ++k)
            if (f_.insts[k].op == "full"_op && f_.insts[k].clears.empty()) {
                f_.insts[k].clears = ids;
                carried = true;
            }
        if (carried) return;
        for (ClearId c : ids)
            if (f_[c].verdict == Clear::Verdict::Open)
                close_clears(f_, {c}, Clear::Verdict::Folded, 0, "simplify", inst.location.empty() ? "its reader knows the number" : fmt::format("line {} knows the number", inst.location.front().line));
    }

    static std::optional<ValueId> apply(simplify_rules::Context& c) {
        if (c.inst.op == "extract"_op) return simplify_rules::extract(c);
        if (c.inst.op == "insert"_op) return simplify_rules::insert(c);
        if (c.inst.op == "item"_op) return simplify_rules::item(c);
        if (c.inst.op == "clone"_op || c.inst.op == "copy"_op || c.inst.op == "cast"_op) return simplify_rules::conversion(c);
        switch (def(c.inst.op).lower) {
            case Lower::Pointwise: return simplify_rules::pointwise(c);
            case Lower::Reduction: return simplify_rules::reduction(c);
            default: return std::nullopt;
        }
    }

    /// A value that a rule has made has the readers of what it replaces, and no others.
    void replace(ValueId from, ValueId to, bool made = false) {
        SIFR_CHECK(f_.type(from) == f_.type(to), "simplify would give a value another type");
        replaced_.set(from, to);
        if (counts_.size() < f_.values.size()) counts_.resize(f_.values.size(), UINT32_MAX / 2);
        counts_[to.index] = counts_[from.index] + (made ? 0 : counts_[to.index]);
        if (f_[to].name.empty()) f_[to].name = f_[from].name;
        changed_ = true;
    }

    /// A carried value that every trip hands on as it came is what it was in front of the loop.
    void unchanging(InstId id) {
        const Inst inst = f_[id];
        size_t bounds = inst.op == "for"_op ? 3 : 0, first = inst.op == "for"_op ? 1 : 0;
        RegionId body = inst.regions.back();
        for (size_t k = 0; k < inst.results.size(); ++k) {
            ValueId param = f_[body].params[first + k];
            ValueId yield = replaced_.get(f_[body].results[k]);
            ValueId init = inst.operands[bounds + k];
            if (yield != param && yield != init) continue;
            // Nothing to gain where nobody looks; and dce takes the slot away afterwards.
            bool used = replaced_.get(param) == param && (counts_[param.index] > (yield == param ? 1u : 0u) || counts_[inst.results[k].index] > 0);
            if (!used) continue;
            for (RegionId r : inst.regions) replace(f_[r].params[first + k], init);
            replace(inst.results[k], init);
        }
    }

    /// What both arms of an `if` take from outside; dce takes the result away afterwards. Without a reader that it could fuse with, a
    /// branch is better: it moves nothing where the arm's value is there already.
    void choices(InstId id) {
        const Inst inst = f_[id];
        for (size_t k = 0; k < inst.results.size(); ++k) {
            ValueId result = inst.results[k];
            if (replaced_.get(result) != result || !f_.type(result).is_tensor() || !f_.type(result).run_time_sizes.empty() || !has_pointwise_reader(result)) continue;
            ValueId chosen[2];
            bool outside = true;
            for (size_t arm = 0; arm < 2; ++arm) {
                chosen[arm] = replaced_.get(f_[inst.regions[arm]].results[k]);
                const Value& v = f_[chosen[arm]];
                outside = outside && (v.def == Value::Def::Parameter || f_[v.inst].parent != inst.regions[arm]);
            }
            if (!outside) continue;
            Builder b(f_, inst.parent, inst.location);
            b.before(id);
            Attrs scalar;
            scalar.set("sizes", std::vector<int64_t>{});
            scalar.set("dtype", DType::Bool);
            ValueId condition = b.emit("full"_op, {inst.operands[0]}, std::move(scalar));
            replace(result, b.emit("where"_op, {condition, chosen[0], chosen[1]}));
        }
    }

    bool has_pointwise_reader(ValueId v) const {
        return v.index < uses_.size() && std::ranges::any_of(uses_[v.index], [&](const Use& u) { return u.inst.valid() && def(f_[u.inst].op).lower == Lower::Pointwise; });
    }

    Function& f_;
    std::vector<std::vector<Use>> uses_;  ///< as they were in front of the pass
    Replacements replaced_;
    std::vector<uint32_t> counts_;
    std::vector<InstId> gone_;
    bool changed_ = false;
};

}  // namespace

bool simplify(Functional& functional, PassContext&) { return Simplify(functional.function).run(); }

}  // namespace sifr
