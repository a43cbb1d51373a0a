#pragma once

#include <vector>

#include "ir/func/function.h"

namespace sifr {

/// Many replacements of values, applied in one sweep. Chains are followed: after set(a, b) and set(b, c), a is c.
class Replacements {
public:
    void set(ValueId from, ValueId to);
    [[nodiscard]] ValueId get(ValueId v) const;
    void apply(std::vector<ValueId>& values) const;
    /// Every use in the function: operands, destinations, region results, run-time sizes.
    void apply(Function& f) const;
    [[nodiscard]] bool empty() const { return to_.empty(); }

private:
    std::vector<ValueId> to_;
};

}  // namespace sifr
