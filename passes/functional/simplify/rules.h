#pragma once

#include <optional>
#include <vector>

#include "ir/func/builder.h"
#include "ir/func/replacements.h"

namespace sifr::simplify_rules {

/// What a rule sees. A rule gives the value that an instruction's only result is equal to, or nothing. It may build
/// instructions with `b`, which stands in front of the instruction.
struct Context {
    Function& f;
    Builder& b;
    const Inst& inst;                        ///< operands are final; a copy, so that building does not move it
    const std::vector<uint32_t>& use_counts; ///< by value; an upper bound for values older than the sweep
    [[nodiscard]] bool single_use(ValueId v) const { return v.index < use_counts.size() && use_counts[v.index] <= 1; }
    /// The producer if it is of this row.
    [[nodiscard]] const Inst* made_by(ValueId v, Op op) const {
        const Inst* p = f.producer(v);
        return p && p->op == op ? p : nullptr;
    }
};

std::optional<ValueId> extract(Context& c);
std::optional<ValueId> insert(Context& c);
std::optional<ValueId> pointwise(Context& c);
std::optional<ValueId> conversion(Context& c);
std::optional<ValueId> sum_of_pieces(Context& c);
std::optional<ValueId> sum_of_transposed(Context& c);
std::optional<ValueId> reduction(Context& c);
std::optional<ValueId> item(Context& c);

/// The layout of `inner` relative to a tensor (row-major) that holds exactly the elements of `outer`, if `inner` lies inside
/// `outer`; both static layouts of `frame`.
std::optional<Layout> relative_layout(const Layout& outer, const Layout& inner, const Sizes& frame);

}  // namespace sifr::simplify_rules
