#pragma once

#include "compiler/frontend/capture/interpreter.h"

namespace sifr::capture {

/// `--dump-bits`: what the script shows is written as raw bits too, by instructions of its own, so that every stage and
/// every way of looping must write the same. Both do nothing when bits are not asked for.

/// A tensor or a run-time number, as it is here. `what` names the occasion: `print`, `item`.
void dump_bits(Interpreter& in, const char* what, ValueId value);
/// Every leaf that requires grad and that the script's variables reach, once, in the order of the variables.
void dump_final_parameters(Interpreter& in, const NamespaceObject* main);

}  // namespace sifr::capture
