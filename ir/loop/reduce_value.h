#pragma once

#include <vector>

#include "ir/loop/loop_ir.h"
#include "ir/loop/scalar_value.h"

namespace sifr {

ScalarValue identity_value(Combine combine, DType type);
ScalarValue combine_values(Combine combine, DType type, ScalarValue older, ScalarValue newer);

/// One reduction in the order that ir/op/reduce_order.h defines: elements are added one after the other.
class OrderedReduction {
public:
    OrderedReduction(Combine combine, DType type, bool lanes);
    void add(ScalarValue value);
    /// acc = fma(value, factor, acc): sums only.
    void add_product(ScalarValue value, ScalarValue factor);
    [[nodiscard]] ScalarValue finish();

private:
    using Lanes = std::vector<ScalarValue>;
    ScalarValue& next_lane();
    void end_block();
    Combine combine_;
    DType type_;
    size_t lane_count_, block_length_;
    size_t in_block_ = 0, blocks_ = 0;
    Lanes block_;
    std::vector<Lanes> stack_;
};

}  // namespace sifr
