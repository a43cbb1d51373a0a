#pragma once

#include <vector>

#include "ir/func/builder.h"

namespace sifr {

/// What a row's `vjp` sees: one instruction of the forward, the gradients of its results, and a builder behind both.
/// A rule returns one gradient per operand, invalid where the operand needs none or has none. Gradients have the
/// operand's sizes and dtype; `Vjp::to(k, g)` sums a broadcast away and casts.
class Vjp {
public:
    Vjp(Builder& b, const Inst& inst, std::vector<ValueId> grads, std::vector<bool> needs)
        : b(b), inst(inst), grads_(std::move(grads)), needs_(std::move(needs)) {}

    Builder& b;
    const Inst inst;  ///< a copy: the table may move while the rule builds

    [[nodiscard]] ValueId in(size_t k) const { return inst.operands.at(k); }
    [[nodiscard]] ValueId out(size_t k = 0) const { return inst.results.at(k); }
    /// The gradient of result k; zeros where nothing flowed into it.
    [[nodiscard]] ValueId grad(size_t k = 0);
    [[nodiscard]] bool has_grad(size_t k) const { return grads_.at(k).valid(); }
    [[nodiscard]] bool needs(size_t k) const { return needs_.at(k); }
    [[nodiscard]] const Type& type(ValueId v) const { return b.function().type(v); }
    /// `g` summed and cast to operand k's own sizes and dtype.
    ValueId to(size_t k, ValueId g);

private:
    std::vector<ValueId> grads_;
    std::vector<bool> needs_;
};

}  // namespace sifr
