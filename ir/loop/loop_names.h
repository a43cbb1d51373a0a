#pragma once

#include <optional>
#include <string_view>

#include "ir/loop/loop_ir.h"

namespace sifr {

/// Names of the loop IR's text: `sum`, `argmax`; `+` and its like for operators that stand between their operands.
std::string_view combine_name(Combine c);
std::optional<Combine> combine_named(std::string_view name);
const char* infix_name(ScalarOp op);  ///< null for an operator that is written as a call
std::optional<ScalarOp> infix_named(std::string_view text);

}  // namespace sifr
