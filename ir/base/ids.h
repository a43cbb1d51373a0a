#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace sifr {

/// An index into one table, typed by that table. `Tag::prefix` is what an id prints in front of its
/// number ("%" for values, "$" for storages, "@" for kernels …). A default-made id names nothing.
template <class Tag>
struct Id {
    static constexpr uint32_t none = UINT32_MAX;
    uint32_t index = none;

    constexpr Id() = default;
    constexpr explicit Id(size_t i) : index(static_cast<uint32_t>(i)) {}

    [[nodiscard]] constexpr bool valid() const { return index != none; }
    constexpr explicit operator bool() const { return valid(); }
    constexpr auto operator<=>(const Id&) const = default;

    [[nodiscard]] std::string str() const {
        return valid() ? std::string(Tag::prefix) + std::to_string(index) : std::string(Tag::prefix) + "none";
    }
};

struct ValueTag { static constexpr const char* prefix = "%"; };
struct InstTag { static constexpr const char* prefix = "inst"; };
struct RegionTag { static constexpr const char* prefix = "region"; };
struct StorageTag { static constexpr const char* prefix = "$"; };
struct KernelTag { static constexpr const char* prefix = "@k"; };
struct ClearTag { static constexpr const char* prefix = "clear"; };
struct SlotTag { static constexpr const char* prefix = "#"; };

using ValueId = Id<ValueTag>;      ///< an SSA value of a Function
using InstId = Id<InstTag>;        ///< an instruction of a Function
using RegionId = Id<RegionTag>;    ///< a region (one block: parameters, instructions, results)
using StorageId = Id<StorageTag>;  ///< a storage of the CAPTURED stage
using KernelId = Id<KernelTag>;    ///< a kernel of a plan
using ClearId = Id<ClearTag>;      ///< a row of the clear ledger
using SlotId = Id<SlotTag>;        ///< a memory slot of a plan

}  // namespace sifr

template <class Tag>
struct std::hash<sifr::Id<Tag>> {
    size_t operator()(sifr::Id<Tag> id) const noexcept { return std::hash<uint32_t>()(id.index); }
};
