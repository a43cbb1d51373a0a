#pragma once

#include <utility>

#include "ir/func/function.h"

namespace sifr {

enum class Stage { Captured, Functional, Fused };
const char* name_of(Stage s);

/// A Function that is known to be at one stage. Move-only: a pass takes the one and gives the other, and a pass for one
/// stage does not compile on another.
template <Stage S>
class At {
public:
    static constexpr Stage stage = S;
    explicit At(Function f) : function(std::move(f)) {}
    At(At&&) noexcept = default;
    At& operator=(At&&) noexcept = default;
    At(const At&) = delete;
    At& operator=(const At&) = delete;
    [[nodiscard]] At copy() const { return At(Function(function)); }
    Function function;
};

/// Tensors are views of storages; `<-` writes; backward is an instruction.
using Captured = At<Stage::Captured>;
/// Pure values; `extract` and `insert` for views and writes; loops and ifs carry state.
using Functional = At<Stage::Functional>;
/// As FUNCTIONAL, with every tensor instruction inside a `group` (one kernel each); control flow and scalar code outside.
using Fused = At<Stage::Fused>;

}  // namespace sifr
