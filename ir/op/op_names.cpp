#include "ir/op/op.h"

namespace sifr {
namespace {

// The names of all rows, sorted; made by the build from the `.name = "…"` of ir/op/rows/*.cpp.
constexpr std::string_view names[] = {
#define SIFR_OP(name) name,
#include "ir/op/op_names.inc"
#undef SIFR_OP
};

constexpr auto place_of(std::string_view name) { return std::lower_bound(std::begin(names), std::end(names), name); }

}  // namespace

template <OpSpelling name>
constinit OpEntry OpNamed<name>::entry = {static_cast<uint16_t>(place_of(name.text) - std::begin(names)), name.text};

#define SIFR_OP(name) template struct OpNamed<name>;
#include "ir/op/op_names.inc"
#undef SIFR_OP

std::span<const Op> all_ops() {
    static constexpr Op ops[] = {
#define SIFR_OP(name) Op(OpNamed<name>::entry),
#include "ir/op/op_names.inc"
#undef SIFR_OP
    };
    return ops;
}

std::optional<Op> op_named(std::string_view name) {
    const auto* place = place_of(name);
    if (place == std::end(names) || *place != name) return std::nullopt;
    return all_ops()[static_cast<std::size_t>(place - std::begin(names))];
}

}  // namespace sifr
