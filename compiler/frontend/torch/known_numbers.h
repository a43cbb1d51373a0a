#pragma once

#include "compiler/frontend/capture/interpreter.h"

namespace sifr::capture {

/// The elements of a tensor that are known by rule, as nested lists: those of a literal, a fill or an identity that nothing has written into.
/// None for any other tensor.
PyValue known_numbers(Interpreter& in, PyValue tensor);

}  // namespace sifr::capture
