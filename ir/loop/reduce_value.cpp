#include "ir/loop/reduce_value.h"

#include <cmath>
#include <limits>

#include "ir/base/check.h"
#include "ir/op/reduce_order.h"

namespace sifr {

namespace {
ScalarValue number(DType type, double f, int64_t i) {
    ScalarValue v;
    if (type == DType::F64) v.f64 = f;
    else if (is_float(type)) v.f32 = static_cast<float>(f);
    else v.i64 = i;
    return v;
}
int64_t lowest(DType type) {
    if (type == DType::Bool || type == DType::U8) return 0;
    return std::numeric_limits<int64_t>::min() >> (64 - 8 * size_of(type));
}
int64_t highest(DType type) { return type == DType::Bool ? 1 : type == DType::U8 ? 255 : ~lowest(type); }
}  // namespace

ScalarValue identity_value(Combine combine, DType type) {
    double inf = std::numeric_limits<double>::infinity();
    switch (combine) {
        case Combine::Sum: case Combine::Any: return number(type, 0, 0);
        case Combine::Prod: case Combine::All: return number(type, 1, 1);
        case Combine::Max: case Combine::ArgMax: return number(type, -inf, lowest(type));
        case Combine::Min: case Combine::ArgMin: return number(type, inf, highest(type));
    }
    SIFR_UNREACHABLE("combine");
}

ScalarValue combine_values(Combine combine, DType type, ScalarValue older, ScalarValue newer) {
    ScalarOp op = ScalarOp::Add;
    switch (combine) {
        case Combine::Sum: op = ScalarOp::Add; break;
        case Combine::Prod: op = ScalarOp::Mul; break;
        case Combine::Max: op = ScalarOp::Max; break;
        case Combine::Min: op = ScalarOp::Min; break;
        case Combine::Any: op = ScalarOp::Or; break;
        case Combine::All: op = ScalarOp::And; break;
        case Combine::ArgMax: case Combine::ArgMin: SIFR_UNREACHABLE("positions are compared where they are known");
    }
    return apply(op, type, older, newer, {});
}

OrderedReduction::OrderedReduction(Combine combine, DType type, bool lanes)
    : combine_(combine), type_(type), lane_count_(lanes ? reduce_lanes : 1), block_length_(reduce_block),
      block_(lane_count_, identity_value(combine, type)) {}

ScalarValue& OrderedReduction::next_lane() {
    if (in_block_ == block_length_) end_block();
    return block_[in_block_++ % lane_count_];
}

void OrderedReduction::add(ScalarValue value) {
    ScalarValue& lane = next_lane();
    lane = combine_values(combine_, type_, lane, value);
}

void OrderedReduction::add_product(ScalarValue value, ScalarValue factor) {
    ScalarValue& lane = next_lane();
    lane = apply(ScalarOp::Fma, type_, value, factor, lane);
}

void OrderedReduction::end_block() {
    Lanes top = std::move(block_);
    for (size_t b = blocks_; b & 1; b >>= 1) {
        for (size_t i = 0; i < lane_count_; ++i) top[i] = combine_values(combine_, type_, stack_.back()[i], top[i]);
        stack_.pop_back();
    }
    stack_.push_back(std::move(top));
    ++blocks_;
    in_block_ = 0;
    block_.assign(lane_count_, identity_value(combine_, type_));
}

ScalarValue OrderedReduction::finish() {
    if (in_block_ > 0) end_block();
    if (stack_.empty()) return identity_value(combine_, type_);
    Lanes acc = std::move(stack_.back());
    stack_.pop_back();
    for (; !stack_.empty(); stack_.pop_back()) {
        for (size_t i = 0; i < lane_count_; ++i) acc[i] = combine_values(combine_, type_, stack_.back()[i], acc[i]);
    }
    for (size_t half = lane_count_ / 2; half > 0; half /= 2) {
        for (size_t i = 0; i < half; ++i) acc[i] = combine_values(combine_, type_, acc[i], acc[i + half]);
    }
    return acc[0];
}

}  // namespace sifr
