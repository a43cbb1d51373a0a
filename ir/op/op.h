#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

// The names of all rows, sorted; made by the build from the `.name = "…"` of ir/op/rows/*.cpp, so that changing what is
// in a row recompiles that file only.
#include "ir/op/op_names.inc"

namespace sifr {

/// One row of the op table. `"mul"_op` is checked while compiling.
struct Op {
    uint16_t index = 0;
    constexpr auto operator<=>(const Op&) const = default;
};

constexpr std::optional<Op> op_named(std::string_view name) {
    uint16_t lo = 0, hi = op_name_count;
    while (lo < hi) {
        uint16_t mid = static_cast<uint16_t>((lo + hi) / 2);
        if (op_names[mid] < name) lo = static_cast<uint16_t>(mid + 1);
        else hi = mid;
    }
    if (lo < op_name_count && op_names[lo] == name) return Op{lo};
    return std::nullopt;
}

// Clang 22 leaves calls of a consteval function in the code of a lambda that is a template argument: there it is evaluated when it runs.
#ifdef __clang__
constexpr
#else
consteval
#endif
    Op operator""_op(const char* name, std::size_t size) { return op_named(std::string_view(name, size)).value(); }

constexpr std::string_view name_of(Op op) { return op_names[op.index]; }

}  // namespace sifr
