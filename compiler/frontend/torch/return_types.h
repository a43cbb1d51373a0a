#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/frontend/capture/interpreter.h"

namespace sifr::capture {

/// A named tuple `torch.return_types.NAME` with these fields.
PyValue make_return_type(Interpreter& in, std::string_view name, const std::vector<std::string>& fields, Values values);

}  // namespace sifr::capture
