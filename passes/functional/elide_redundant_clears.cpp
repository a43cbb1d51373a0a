// elide-redundant-clears: a fill of what is there already is no write.
//
//   %x = full 0.0                        : f32[4,4]
//   %y = insert %x +0 (4,1), %p          : f32[4,4]      // the first row
//   %z = insert %y +4 (4,1), (full 0.0)                  =>   %y        // the second row was never touched
//
//   %y = insert %x +8 (4,1), (full 0.0)  // rows 2, 3; row 3 is known to be zero
//                                                        =>   %y = insert %x +8 (4,1), (full 0.0)      // row 2 alone
//
//   %g = for … carrying %a = (full 0.0) { %b = add %a, %d … yield (full 0.0) }
//                                                        =>   %b = add (full 0.0), %d: nothing is carried
//
// `known(v, region)` asks whether every element of a region of a value is one constant, by looking at what made the value:
// a fill; an insert (what it wrote, where the region lies inside; its base, where it lies outside; both, where it does
// neither); an extract; both arms of an `if`. A loop's parameter is known when its first value is and, assuming that, what
// the body hands on is.
//
// It stands behind expand-grad, so that autograd's own zeros are seen too (in front of it, removing a tracked
// `x.zero_()` would bring back a gradient that PyTorch cuts), and behind simplify, which has put reads and writes into
// one form.

#include "passes/functional/elide_redundant_clears.h"

#include <cstring>
#include <map>

#include "ir/analysis/region_set.h"
#include "ir/base/planted_fault.h"
#include "ir/func/builder.h"
#include "ir/func/replacements.h"
#include "ir/type/covered_box.h"
#include "passes/functional/simplify/rules.h"

namespace sifr {
namespace {

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

class Known {
public:
    explicit Known(const Function& f) : f_(f) {}

    /// The constant that every element of `layout` (over v's frame) is, with the line that made it so.
    struct Answer {
        double value;
        Location since;
    };
    std::optional<Answer> region(ValueId v, const Layout& layout, const std::vector<ValueId>& indices) {
        if (++steps_ > 2000) return std::nullopt;  // long chains are looked at only so far
        const Value& value = f_[v];
        if (value.def == Value::Def::Parameter) return parameter(v);
        const Inst* p = f_.producer(v);
        if (!p) return std::nullopt;
        if (p->op == "full"_op) {
            auto c = f_.constant_float(p->operands[0]);
            if (!c) return std::nullopt;
            return Answer{*c, p->location};
        }
        if (p->op == "insert"_op) return inserted(*p, layout, indices);
        if (p->op == "extract"_op && indices.empty() && p->operands.size() == 1) {
            std::optional<Layout> both = compose(p->attrs.get<Layout>("layout"), layout);
            if (!both) return whole(p->operands[0]);
            return region(p->operands[0], *both, indices);
        }
        if (p->op == "if"_op) {
            std::optional<Answer> first;
            for (RegionId r : p->regions) {
                std::optional<Answer> a = region(f_[r].results[value.position], layout, indices);
                if (!a || (first && !same_bits(a->value, first->value))) return std::nullopt;
                first = a;
            }
            return first;
        }
        if (p->op == "for"_op || p->op == "while"_op) {
            RegionId body = p->regions.back();
            return parameter(f_[body].params[value.position + (p->op == "for"_op ? 1 : 0)]);
        }
        return std::nullopt;
    }
    std::optional<Answer> whole(ValueId v) { return region(v, Layout::contiguous(f_.type(v).sizes), {}); }
    void reset() { steps_ = 0; }
    /// Takes the elements out of a set of `v`'s that are known to be `c`.
    void strip(ValueId v, RegionSet& set, double c) {
        if (set.empty() || ++steps_ > 2000) return;
        const Inst* p = f_.producer(v);
        if (!p || p->op != "insert"_op) {
            std::optional<Answer> all = whole(v);
            if (all && same_bits(all->value, c)) set = {};
            return;
        }
        const Layout& layout = p->attrs.get<Layout>("layout");
        std::optional<Box> box = layout.is_static() && layout.is_injective() ? covered_box(layout, f_.type(v).sizes) : std::nullopt;
        std::optional<RegionSet::Product> places = box ? RegionSet::of_box(*box) : std::nullopt;
        RegionSet inside = set, outside = set;
        if (!places || !inside.intersect(*places) || !outside.subtract(*places)) return;
        if (!inside.empty())
            if (std::optional<Answer> piece = whole(p->operands[1]); piece && same_bits(piece->value, c)) inside = {};
        strip(p->operands[0], outside, c);
        if (outside.add(inside)) set = std::move(outside);
    }

private:
    std::optional<Answer> inserted(const Inst& p, const Layout& layout, const std::vector<ValueId>& indices) {
        ValueId base = p.operands[0], piece = p.operands[1];
        const Layout& at = p.attrs.get<Layout>("layout");
        std::vector<ValueId> own(p.operands.begin() + 2, p.operands.end());
        bool comparable = own == indices || (own.empty() && indices.empty());
        if (comparable) {
            switch (overlap(at, layout, f_.type(base).sizes)) {
                case Overlap::Disjoint: return region(base, layout, indices);
                case Overlap::Equal: return planted(Fault::StaleClear) ? region(base, layout, indices) : whole(piece);
                case Overlap::Contains:
                    if (own.empty())
                        if (std::optional<Layout> inside = simplify_rules::relative_layout(at, layout, f_.type(base).sizes)) return region(piece, *inside, {});
                    return whole(piece);
                default: break;
            }
        }
        std::optional<Answer> below = region(base, layout, indices);
        if (!below) return std::nullopt;
        std::optional<Answer> written = whole(piece);
        if (!written || !same_bits(written->value, below->value)) return std::nullopt;
        return below;
    }

    /// Of a loop's parameter, the whole: by induction over the trips.
    std::optional<Answer> parameter(ValueId v) {
        if (auto at = assumed_.find(v); at != assumed_.end()) return at->second;
        InstId parent = f_[f_[v].region].parent;
        if (!parent.valid()) return std::nullopt;
        const Inst& loop = f_[parent];
        bool is_for = loop.op == "for"_op;
        if (!is_for && loop.op != "while"_op) return std::nullopt;
        size_t first = is_for ? 1 : 0, bounds = is_for ? 3 : 0;
        if (f_[v].position < first) return std::nullopt;
        size_t k = f_[v].position - first;
        std::optional<Answer> init = whole(loop.operands[bounds + k]);
        if (!init) return std::nullopt;
        // All regions of the loop have the same carried values: assume it of each.
        for (RegionId r : loop.regions) assumed_[f_[r].params[first + k]] = init;
        std::optional<Answer> next = whole(f_[loop.regions.back()].results[k]);
        for (RegionId r : loop.regions) assumed_.erase(f_[r].params[first + k]);
        if ((!next || !same_bits(next->value, init->value)) && !planted(Fault::LoopClearTrusted)) return std::nullopt;
        return init;
    }

    const Function& f_;
    std::map<ValueId, std::optional<Answer>> assumed_;
    int steps_ = 0;
};

class ElideRedundantClears {
public:
    explicit ElideRedundantClears(Function& f) : f_(f), known_(f) {}

    bool run() {
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
            if (f_[id].op == "for"_op || f_[id].op == "while"_op) {
                size_t before = f_[r].insts.size();
                carried_constants(id);
                i += f_[r].insts.size() - before;
            }
            for (size_t k = 0; k < f_[id].regions.size(); ++k) region(f_[id].regions[k]);
            if (f_[id].op == "insert"_op) written_again(id);
            while (f_[r].insts[i] != id) ++i;  // what stands anew in front of it
        }
        replaced_.apply(f_[r].results);
    }

    static std::string since(const Location& l) { return l.empty() || !l.front().known() ? std::string() : fmt::format(" since line {}", l.front().line); }

    void written_again(InstId id) {
        const Inst& inst = f_[id];
        const Inst* fill = f_.producer(inst.operands[1]);
        if (!fill || fill->op != "full"_op) return;
        auto c = f_.constant_float(fill->operands[0]);
        if (!c) return;
        std::vector<ValueId> indices(inst.operands.begin() + 2, inst.operands.end());
        known_.reset();
        std::optional<Known::Answer> there = known_.region(inst.operands[0], inst.attrs.get<Layout>("layout"), indices);
        if (!there || !same_bits(there->value, *c)) return narrow(id, *c);
        close_clears(f_, fill->clears, Clear::Verdict::Removed, 0, "elide-redundant-clears", "it is zero already" + since(there->since));
        replaced_.set(inst.results[0], inst.operands[0]);
        gone_.push_back(id);
        changed_ = true;
    }

    /// Clears only what is not known to be clear.
    void narrow(InstId id, double c) {
        const Inst inst = f_[id];
        const Layout& layout = inst.attrs.get<Layout>("layout");
        const Sizes frame = f_.type(inst.results[0]).sizes;
        std::optional<Box> box = layout.is_static() ? covered_box(layout, frame) : std::nullopt;
        std::optional<RegionSet::Product> places = box ? RegionSet::of_box(*box) : std::nullopt;
        RegionSet set;
        if (!places || !set.add(*places)) return;
        int64_t before = set.count();
        known_.reset();
        known_.strip(inst.operands[0], set, c);
        std::optional<std::vector<Layout>> parts = set.layouts(frame, 1);
        if (set.count() == before || !parts || parts->empty()) return;
        const Inst fill = *f_.producer(inst.operands[1]);
        Builder b(f_, inst.parent, fill.location);
        b.before(id);
        ValueId piece = b.full(f_.type(fill.results[0]).dtype, parts->front().sizes, fill.operands[0]);
        f_[f_[piece].inst].clears = fill.clears;
        for (ClearId c : fill.clears) f_[c].reason = "the rest is zero already";
        b.at(inst.location);
        replaced_.set(inst.results[0], b.insert(inst.operands[0], parts->front(), piece));
        gone_.push_back(id);
        changed_ = true;
    }

    /// A carried value that is one constant on every edge is no carried value.
    void carried_constants(InstId id) {
        const Inst inst = f_[id];
        bool is_for = inst.op == "for"_op;
        size_t bounds = is_for ? 3 : 0, first = is_for ? 1 : 0;
        RegionId body = inst.regions.back();
        for (size_t k = 0; k < inst.results.size(); ++k) {
            ValueId param = f_[body].params[first + k];
            if (!f_.type(param).is_tensor() || replaced_.get(param) != param) continue;
            known_.reset();
            std::optional<Known::Answer> c = known_.whole(param);
            if (!c) continue;
            // What the body hands on need not be made: its clears are done by the one in front of the loop.
            if (const Inst* yielded = f_.producer(f_[body].results[k]); yielded && yielded->op == "full"_op)
                close_clears(f_, yielded->clears, Clear::Verdict::Removed, 0, "elide-redundant-clears", "every trip of the loop begins with these zeros");
            const Type type = f_.type(param);
            ValueId init = inst.operands[bounds + k];
            ValueId constant = init;
            if (const Inst* made = f_.producer(init); !made || made->op != "full"_op) {
                Builder b(f_, inst.parent, inst.location);
                b.before(id);
                constant = b.full(type.dtype, type.sizes, c->value);
                if (const Inst* yielded = f_.producer(f_[body].results[k]); yielded && yielded->op == "full"_op) f_[f_[constant].inst].clears = yielded->clears;
            }
            for (RegionId r : inst.regions) replaced_.set(f_[r].params[first + k], constant);
            replaced_.set(inst.results[k], constant);
            f_[body].results[k] = constant;
            changed_ = true;
        }
    }

    Function& f_;
    Known known_;
    Replacements replaced_;
    std::vector<InstId> gone_;
    bool changed_ = false;
};

}  // namespace

bool elide_redundant_clears(Functional& functional, PassContext&) { return ElideRedundantClears(functional.function).run(); }

}  // namespace sifr
