#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sifr {

/// What an Op points at: one object per row.
struct OpEntry {
    uint16_t index;  ///< the row's place among the sorted names
    std::string_view name;
};

/// The name of a row as a template argument.
template <std::size_t size>
struct OpSpelling {
    char text[size];
    consteval OpSpelling(const char (&literal)[size]) { std::copy_n(literal, size, text); }
};

/// Defined in ir/op/op_names.cpp for the rows that there are: a literal `"mull"_op` compiles and does not link. No header lists the
/// names, so that a new row recompiles its own file only.
template <OpSpelling name>
struct OpNamed {
    static OpEntry entry;
};

/// One row of the op table, or none. (A template argument too, so its member is public.)
struct Op {
    const OpEntry* entry = nullptr;

    constexpr Op() = default;
    constexpr explicit Op(const OpEntry& row) : entry(&row) {}
    [[nodiscard]] constexpr bool valid() const { return entry != nullptr; }
    /// Smaller than op_count().
    [[nodiscard]] uint16_t index() const { return entry->index; }
    [[nodiscard]] std::string_view name() const { return entry->name; }
    constexpr bool operator==(const Op&) const = default;
    /// In the order of the names; both are valid.
    std::strong_ordering operator<=>(const Op& other) const { return index() <=> other.index(); }
};

inline std::string_view name_of(Op op) { return op.name(); }

/// All rows, sorted by name.
std::span<const Op> all_ops();
inline std::size_t op_count() { return all_ops().size(); }
std::optional<Op> op_named(std::string_view name);

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
template <OpSpelling name>
constexpr Op operator""_op() {
    return Op(OpNamed<name>::entry);
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace sifr
