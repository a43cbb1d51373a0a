// remove-dead-writes: what is overwritten before anybody looks at it is not written.
//
//   %x = full 0.0                          : f32[4,8]           %x = empty             : f32[4,8]
//   %y = insert %x +0 (8,1), %p            // rows 0, 1    =>   %y = insert %x +0 (8,1), %p
//   %z = insert %y +16 (8,1), %q           // rows 2, 3         %z = insert %y +16 (8,1), %q
//
//   %x = full 0.0                          : f32[102,8]         %x = empty             : f32[102,8]
//   %r = for %i in 0..100 carrying %y = %x {                    %a = insert %x +0 (8,1), (full 0.0)     // row 0
//     %z = insert %y +8+8*%i (1), %p                       =>   %b = insert %a +808 (8,1), (full 0.0)   // row 101
//     yield %z                                                  %r = for %i in 0..100 carrying %y = %b { … }
//   }
//
// demand.h tells which elements of a value anybody may look at. An insert whose elements nobody looks at gives way to its base.
// A fill that nobody looks at makes undefined memory; one that is looked at in few places is written there alone, if it
// is in memory anyway: what kernels read they know without memory, and the kernel of one insert writes the rest around it.
// A clear of which somebody looks at a part is narrowed to that part. A fill that one arm of an `if` alone needs is made there.
//
// It stands behind expand-grad (a gradient may be the only reader), simplify (which resolves reads of what was just written) and
// elide-redundant-clears (a clear of what is zero already is gone, so that it covers nothing) and dce (what is dead reads
// nothing). The second dce takes out what made the pieces.

#include "passes/functional/remove_dead_writes.h"

#include <algorithm>

#include "ir/base/planted_fault.h"
#include "ir/func/builder.h"
#include "ir/func/replacements.h"
#include "ir/op/op_def.h"
#include "ir/type/covered_box.h"
#include "passes/functional/demand.h"

namespace sifr {
namespace {

constexpr size_t most_boxes = 8;  ///< of the rest of a fill; each is a fill of its own
constexpr const char* pass = "remove-dead-writes";

std::string line_of(const Inst& inst) { return inst.location.empty() || !inst.location.front().known() ? std::string("a later line") : fmt::format("line {}", inst.location.front().line); }

class RemoveDeadWrites {
public:
    explicit RemoveDeadWrites(Function& f) : f_(f), uses_(compute_uses(f)), demand_(f) {}

    bool run() {
        std::vector<InstId> all;
        walk(f_, f_.body, [&](InstId id) { all.push_back(id); });
        // Readers first: each answer then rests on one that is known.
        for (size_t k = all.size(); k-- > 0;)
            if (f_[all[k]].op == "insert"_op) demand_.of(f_[all[k]].results[0]);
        for (InstId id : all) {
            if (f_[id].op == "insert"_op) insert(id);
            else if (f_[id].op == "full"_op) fill(id);
        }
        for (const auto& change : changes_) change();
        if (changes_.empty()) return false;
        replaced_.apply(f_);
        for (InstId id : gone_) f_.erase(id);
        return true;
    }

private:
    /// The line that overwrites a value first.
    std::string overwriter(ValueId v, int depth = 0) const {
        for (const Use& u : uses_[v.index]) {
            if (!u.inst.valid() || depth > 8) continue;
            const Inst& inst = f_[u.inst];
            if (inst.op == "insert"_op && u.operand == 0) return line_of(inst);
            if (inst.op != "for"_op || u.operand < 3) continue;
            if (std::string inner = overwriter(f_[inst.regions[0]].params[u.operand - 2], depth + 1); !inner.empty()) return inner;
        }
        return {};
    }
    std::string overwritten(ValueId v) const {
        std::string by = overwriter(v);
        return by.empty() ? std::string("its zeros are never read") : fmt::format("{} writes over it before anybody reads it", by);
    }

    /// Says why a clear stays, as far as it is known here.
    void explain(const std::vector<ClearId>& ids, const Demand::Wanted& wanted, int64_t elements) {
        for (ClearId c : ids) {
            if (f_[c].verdict != Clear::Verdict::Open || !f_[c].reason.empty()) continue;
            std::string who = wanted.reader.valid() ? line_of(f_[wanted.reader]) + " reads" : std::string("the caller gets");
            int64_t count = wanted.elements.count();
            f_[c].reason = count == elements ? fmt::format("{} it", who) : fmt::format("{} {} of its {} elements", who, count, elements);
            f_[c].pass = pass;
        }
    }

    void insert(InstId id) {
        const Inst& inst = f_[id];
        const Layout& layout = inst.attrs.get<Layout>("layout");
        const Sizes& frame = f_.type(inst.results[0]).sizes;
        std::optional<Box> box = covered_box(layout, frame);
        if (!box) return;
        Demand::Wanted wanted = demand_.of(inst.results[0]);
        const Inst* made = f_.producer(inst.operands[1]);
        bool own_fill = made && made->op == "full"_op && uses_[inst.operands[1].index].size() == 1;
        if (layout.is_static()) {
            std::optional<RegionSet::Product> places = RegionSet::of_box(*box);
            if (!places || !wanted.elements.intersect(*places)) return;
        }
        int64_t count = wanted.elements.count();
        if (count <= (planted(Fault::DeadWriteRead) ? 1 : 0)) {
            if (own_fill) close(made->clears, Clear::Verdict::Removed, overwritten(inst.results[0]));
            ValueId from = inst.results[0], to = inst.operands[0];
            changes_.push_back([this, id, from, to] {
                replaced_.set(from, to);
                gone_.push_back(id);
            });
            return;
        }
        if (!own_fill) return;
        explain(made->clears, wanted, layout.numel());
        std::optional<std::vector<Layout>> parts = wanted.elements.layouts(frame, 1);
        if (!layout.is_static() || count >= layout.numel() || !parts || parts->empty()) return;
        changes_.push_back([this, id, part = parts->front()] {
            const Inst old = f_[id];
            const Inst fill = *f_.producer(old.operands[1]);
            Builder b(f_, old.parent, fill.location);
            b.before(id);
            ValueId piece = zeros(b, fill, part.sizes);
            b.at(old.location);
            replaced_.set(old.results[0], b.insert(old.operands[0], part, piece));
            gone_.push_back(id);
        });
    }

    void fill(InstId id) {
        const Inst& inst = f_[id];
        ValueId v = inst.results[0];
        int64_t elements = f_.type(v).numel();
        if (elements == 0 || uses_[v.index].empty() || !f_.type(v).run_time_sizes.empty()) return;
        // What is written into something else was looked at there.
        if (std::any_of(uses_[v.index].begin(), uses_[v.index].end(), [&](const Use& u) { return u.inst.valid() && f_[u.inst].op == "insert"_op && u.operand == 1; })) return;
        Demand::Wanted wanted = demand_.of(v);
        int64_t count = wanted.elements.count();
        if (count == 0) {
            close(inst.clears, Clear::Verdict::Removed, overwritten(v));
            changes_.push_back([this, id] { undefined(id); });
            return;
        }
        explain(inst.clears, wanted, elements);
        if (sink(id)) return;
        if (count == elements || !worth_splitting(inst, count)) return;
        std::optional<std::vector<Layout>> parts = wanted.elements.layouts(f_.type(v).sizes, most_boxes);
        if (!parts) return;
        changes_.push_back([this, id, parts = std::move(*parts)] {
            const Inst old = f_[id];
            ValueId v = undefined(id);
            Builder b(f_, old.parent, old.location);
            b.before(id);
            for (const Layout& part : parts) v = b.insert(v, part, zeros(b, old, part.sizes));
            replaced_.set(old.results[0], v);
        });
    }

    /// The fill is in memory for all of its readers, and its parts are fewer bytes than what would be written without them.
    bool worth_splitting(const Inst& inst, int64_t count) const {
        ValueId v = inst.results[0];
        int64_t elements = f_.type(v).numel();
        bool one_kernel = false;
        for (const Use& u : uses_[v.index]) {
            if (!u.inst.valid()) return false;
            const Inst& user = f_[u.inst];
            if (user.op == "insert"_op && u.operand == 0) {
                // The kernel of an insert in the fill's own region writes all of the rest.
                if (user.parent == inst.parent && uses_[v.index].size() == 1) one_kernel = elements - user.attrs.get<Layout>("layout").numel() <= count;
            } else if (user.op != "for"_op || u.operand < 3) {
                return false;
            }
        }
        return !one_kernel && 2 * count <= elements;
    }

    /// Moves a fill into the only arm that reads it.
    bool sink(InstId id) {
        const Inst& inst = f_[id];
        RegionId arm;
        for (const Use& u : uses_[inst.results[0].index]) {
            RegionId r = u.inst.valid() ? f_[u.inst].parent : u.region;
            while (r.valid() && f_[r].parent.valid() && f_[f_[r].parent].parent != inst.parent) r = f_[f_[r].parent].parent;
            if (r == inst.parent || !r.valid() || !f_[r].parent.valid() || f_[f_[r].parent].op != "if"_op || (arm.valid() && arm != r)) return false;
            arm = r;
        }
        if (!arm.valid()) return false;
        for (ClearId c : inst.clears) f_[c].reason += ", on one path only";
        changes_.push_back([this, id, arm] {
            std::vector<InstId>& from = f_[f_[id].parent].insts;
            from.erase(std::find(from.begin(), from.end(), id));
            f_[arm].insts.insert(f_[arm].insts.begin(), id);
            f_[id].parent = arm;
        });
        return true;
    }

    static ValueId zeros(Builder& b, const Inst& fill, const Sizes& sizes) {
        Function& f = b.function();
        ValueId v = b.full(f.type(fill.results[0]).dtype, sizes, fill.operands[0]);
        f[f[v].inst].clears = fill.clears;
        return v;
    }

    /// Puts memory without contents in place of a fill.
    ValueId undefined(InstId id) {
        const Inst old = f_[id];
        Builder b(f_, old.parent, old.location);
        b.before(id);
        const Type type = f_.type(old.results[0]);
        ValueId v = b.emit("empty"_op, {}, attrs({{"sizes", type.sizes}, {"dtype", type.dtype}}));
        f_[v].name = f_[old.results[0]].name;
        replaced_.set(old.results[0], v);
        gone_.push_back(id);
        return v;
    }

    void close(const std::vector<ClearId>& ids, Clear::Verdict verdict, const std::string& reason) {
        std::vector<ClearId> open;
        for (ClearId c : ids)
            if (f_[c].verdict == Clear::Verdict::Open) open.push_back(c);
        close_clears(f_, open, verdict, 0, pass, reason);
    }

    Function& f_;
    std::vector<std::vector<Use>> uses_;
    Demand demand_;
    std::vector<std::function<void()>> changes_;  ///< made when all questions are answered
    Replacements replaced_;
    std::vector<InstId> gone_;
};

}  // namespace

bool remove_dead_writes(Functional& functional, PassContext&) { return RemoveDeadWrites(functional.function).run(); }

}  // namespace sifr
