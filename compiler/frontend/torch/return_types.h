#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/frontend/capture/interpreter.h"

namespace sifr::capture {

/// Makes the class `torch.return_types.NAME` of each row whose signature names its results. All are made at once, in front of any
/// trial.
void make_return_types(Interpreter& in);
/// A named tuple `torch.return_types.NAME`.
PyValue make_return_type(Interpreter& in, std::string_view name, Values values);
/// The class of a name; null if no row has it.
const ClassObject* return_type_class(Interpreter& in, std::string_view name);

}  // namespace sifr::capture
