#pragma once

#include <vector>

#include "ir/func/replacements.h"
#include "ir/op/rules/gradient.h"

namespace sifr {

/// What bound-sizes knows while it rewrites: the run-time sizes that values had, and how the places behind them are left out.
class SizeBounds {
public:
    explicit SizeBounds(Function& f);

    /// Rewrites one instruction whose operands or results have run-time sizes; false where it stays as it is. `b` stands in front of it.
    /// rows_of_bounds.cpp
    bool rewrite(Builder& b, InstId id);

    using Runs = std::vector<RunTimeSize>;
    [[nodiscard]] const Runs& runs(ValueId v) const;
    void set_runs(ValueId v, Runs runs);
    [[nodiscard]] bool is_involved(const Inst& inst) const;
    /// Some gradient is asked for: nothing from the places behind the sizes may flow into it.
    [[nodiscard]] bool has_gradients() const { return gradients_; }

    /// Bool, of sizes that broadcast to `sizes`: true at the places that count.
    rules::V valid(Builder& b, const Sizes& sizes, const Runs& runs);
    /// `v` with `otherwise` at the places behind its sizes.
    rules::V masked(Builder& b, ValueId v, ValueId otherwise);
    rules::V masked(Builder& b, ValueId v, double otherwise);
    /// `v` in memory of other bounds, of which both have the same number of axes.
    rules::V with_bounds(Builder& b, ValueId v, const Sizes& bounds);
    /// How many elements there are along `axes`.
    ValueId count(Builder& b, ValueId v, const std::vector<int64_t>& axes);

    Replacements replaced;

private:
    // rows_of_bounds.cpp
    std::vector<ValueId> rewritten(Builder& b, const Inst& inst);
    std::vector<ValueId> pointwise(Builder& b, Inst inst);
    std::vector<ValueId> reduction(Builder& b, Inst inst);
    std::vector<ValueId> library(Builder& b, Inst inst);
    std::vector<ValueId> index_put(Builder& b, Inst inst);
    std::vector<ValueId> by_place(Builder& b, Inst inst);
    /// The instruction again, on other operands, and its results without what lies behind their sizes.
    std::vector<ValueId> again(Builder& b, const Inst& inst);
    ValueId sized(Builder& b, ValueId v);
    rules::V masked_index(Builder& b, ValueId index, const Inst& inst, size_t axis);

    Function& f_;
    std::vector<Runs> runs_;
    bool gradients_ = false;
};

}  // namespace sifr
