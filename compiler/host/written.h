#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ir/base/source.h"
#include "ir/plan/plan.h"

namespace sifr::host {

/// Which pieces of memory of the caller's have been written, wholly or in part, when the code raises at a line. Found in the plan, whose
/// order is the order of execution: a piece counts where a step that writes it may come before a step of that line that can raise, or is
/// that step. In a loop, what an earlier iteration wrote counts too.
class WrittenBefore {
public:
    WrittenBefore() = default;
    /// `memories`: the first arguments of the plan are pieces of memory of the caller's.
    WrittenBefore(const Plan& plan, size_t memories);
    /// Null where nothing is known of the line.
    [[nodiscard]] const std::vector<bool>* at(uint32_t file, uint32_t line) const {
        auto known = lines_.find({file, line});
        return known == lines_.end() ? nullptr : &known->second;
    }

private:
    class Walk;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<bool>> lines_;
};

}  // namespace sifr::host
