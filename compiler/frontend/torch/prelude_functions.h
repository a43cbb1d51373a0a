#pragma once

#include "compiler/frontend/capture/interpreter.h"

// Functions of torch that are written in the accepted language: modules of the prelude that no script imports by itself.

namespace sifr::capture {

/// `torch.name`, unbound if the prelude has none. Its `out=` is written with what the function gives.
PyValue prelude_function(Interpreter& in, std::string_view name);
/// The function `name` of one topic (`torch._functions.random`).
PyValue prelude_member(Interpreter& in, const std::string& topic, std::string_view name);
/// `x.name` of the prelude's methods; `self` unbound: the function itself.
PyValue prelude_method(Interpreter& in, std::string_view name, PyValue self);

}  // namespace sifr::capture
