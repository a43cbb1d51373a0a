// Sums of pieces in zeros. The gradient of a slice is the slice's in zeros of the whole; of many slices of one tensor (steps of a
// sequence, gates of a cell) the sum is made piece by piece in one place:
//
//   %a = insert (full 0.0) (4,1), %p : f32[8,4]         %c = insert (full 0.0) (4,1), (add %p, 0.0)
//   %b = insert (full 0.0) +4 (4,1), %q            =>   %d = insert %c +4 (4,1), (add %q, 0.0)
//   %s = add %a, %b
//   %t = add %s, (insert (full 0.0) +2 (4,1), %r)  =>   %t = insert_add %d +2 (4,1), %r
//
// And a sum of transposed values is the sum of the values, transposed: each of them may be a product, which adds to the sum where it stands.
//
//   %s = add (extract %a (1,8)), (extract %b (1,8))     =>   %s = extract (add %a, %b) (1,8)
//
// An element outside of the piece gets +0 in the sum, and stays what it was but for -0, which becomes +0. So the other summand must be one
// without -0: +0, or a sum of which one side has none.

#include <cmath>
#include <set>

#include "ir/op/op_def.h"
#include "ir/base/planted_fault.h"
#include "passes/functional/simplify/rules.h"

namespace sifr::simplify_rules {
namespace {

std::optional<double> fill_of(const Function& f, ValueId v) {
    const Inst* p = f.producer(v);
    return p && p->op == "full"_op ? f.constant_float(p->operands[0]) : std::nullopt;
}

bool positive_zero(const Function& f, ValueId v) {
    const auto number = fill_of(f, v);
    return number && *number == 0 && !std::signbit(*number);
}

bool plain_sum(const Inst& inst) { return inst.op == "add"_op && inst.operands.size() == 2 && (!inst.attrs.has("alpha")); }

/// No element is -0.
class WithoutNegativeZero {
public:
    explicit WithoutNegativeZero(const Function& f) : f_(f) {}
    bool ask(ValueId v) {
        if (++steps_ > 64) return false;
        if (auto number = f_.constant_float(v)) return *number != 0 || !std::signbit(*number);
        const Value& value = f_[v];
        if (value.def == Value::Def::Parameter) return parameter(v);
        const Inst* p = f_.producer(v);
        if (!p) return false;
        if (auto number = fill_of(f_, v)) return *number != 0 || !std::signbit(*number);
        if (plain_sum(*p)) return ask(p->operands[1]) || ask(p->operands[0]);
        if (p->op == "insert_add"_op) return ask(p->operands[0]);
        if (p->op == "insert"_op) return ask(p->operands[1]) && ask(p->operands[0]);
        return false;
    }

private:
    /// What a loop carries, by induction over its trips.
    bool parameter(ValueId v) {
        if (assumed_.count(v)) return true;
        const InstId parent = f_[f_[v].region].parent;
        if (!parent.valid() || f_[parent].op != "for"_op || f_[v].position < 1) return false;
        const size_t k = f_[v].position - 1;
        if (!ask(f_[parent].operands[3 + k])) return false;
        assumed_.insert(v);
        return ask(f_[f_[parent].regions.back()].results[k]);
    }

    const Function& f_;
    std::set<ValueId> assumed_;
    int steps_ = 0;
};

/// Nothing is written yet at `layout` of a chain of inserts into zeros.
bool still_zero(const Function& f, ValueId v, const Layout& layout) {
    if (!layout.is_static()) return false;
    for (int steps = 0; steps < 1000; ++steps) {
        if (positive_zero(f, v)) return true;
        const Inst* p = f.producer(v);
        if (!p || p->op != "insert"_op || p->operands.size() != 2) return false;
        const Layout& written = p->attrs.get<Layout>("layout");
        if (!written.is_static() || overlap(written, layout, f.type(v).sizes) != Overlap::Disjoint) return false;
        v = p->operands[0];
    }
    return false;
}

/// A layout that walks all of a frame, each place once.
bool is_permutation(const Layout& layout, const Sizes& frame) {
    return layout.is_static() && layout.offset == 0 && layout.numel() == element_count(frame) && layout.numel() > 0 && layout.is_dense();
}

}  // namespace

std::optional<ValueId> sum_of_transposed(Context& c) {
    if (!plain_sum(c.inst)) return std::nullopt;
    const Inst *a = c.made_by(c.inst.operands[0], "extract"_op), *b = c.made_by(c.inst.operands[1], "extract"_op);
    if (!a || !b || a->operands.size() != 1 || b->operands.size() != 1 || !c.single_use(c.inst.operands[0]) || !c.single_use(c.inst.operands[1])) return std::nullopt;
    const ValueId left = a->operands[0], right = b->operands[0];
    const Layout layout = a->attrs.get<Layout>("layout");
    const Type &type = c.f.type(left), &result = c.f.type(c.inst.results[0]);
    if (!(type == c.f.type(right)) || type.dtype != result.dtype || !type.run_time_sizes.empty() || layout.sizes != result.sizes) return std::nullopt;
    if (!(layout == b->attrs.get<Layout>("layout")) || !is_permutation(layout, type.sizes)) return std::nullopt;
    return c.b.extract(c.b.emit(c.inst.op, {left, right}, c.inst.attrs), layout);
}

std::optional<ValueId> sum_of_pieces(Context& c) {
    const Type& type = c.f.type(c.inst.results[0]);
    if (!plain_sum(c.inst) || !is_float(type.dtype) || !type.run_time_sizes.empty()) return std::nullopt;
    /// Of a value that is read here alone: the insert into zeros that makes it.
    auto piece_of = [&](size_t k) -> const Inst* {
        const ValueId v = c.inst.operands[k];
        const Inst* p = c.f.type(v) == type && c.single_use(v) ? c.made_by(v, "insert"_op) : nullptr;
        return p && positive_zero(c.f, p->operands[0]) && p->attrs.get<Layout>("layout").is_injective() ? p : nullptr;
    };
    auto with_zero = [&](ValueId v) { return planted(Fault::DroppedPlusZero) ? v : c.b.emit("add"_op, {v, c.b.constant(0.0)}); };
    for (size_t k : {1, 0}) {
        const Inst* found = piece_of(k);
        ValueId rest = c.inst.operands[1 - k];
        if (!found || !(c.f.type(rest) == type) || !c.single_use(rest)) continue;
        const Inst piece = *found;
        if (!WithoutNegativeZero(c.f).ask(rest)) {
            const Inst* other = piece_of(1 - k);
            if (!other) continue;
            const Inst first = *other;
            const std::vector<ValueId> indices(first.operands.begin() + 2, first.operands.end());
            rest = c.b.insert(first.operands[0], first.attrs.get<Layout>("layout"), with_zero(first.operands[1]), indices);
        }
        const Layout layout = piece.attrs.get<Layout>("layout");
        const std::vector<ValueId> indices(piece.operands.begin() + 2, piece.operands.end());
        if (indices.empty() && still_zero(c.f, rest, layout)) return c.b.insert(rest, layout, with_zero(piece.operands[1]), {});
        std::vector<ValueId> operands = {rest, piece.operands[1]};
        operands.insert(operands.end(), indices.begin(), indices.end());
        return c.b.emit("insert_add"_op, operands, attrs({{"layout", layout}}));
    }
    return std::nullopt;
}

}  // namespace sifr::simplify_rules
