#pragma once

#include <vector>

#include "ir/func/stage.h"
#include "ir/interp/value.h"
#include "ir/plan/plan.h"

namespace sifr {

/// Executes a function at its stage, slow and plain: this is what the IR means. Prints go to the runtime's stdout (a test
/// catches them with `sifr_set_host_hooks`). Returns what the body yields.
/// Throws RunTimeRaise for Python's exceptions and NotSupported for what the interpreter lacks.
std::vector<RunValue> evaluate(const Function& f, Stage stage, std::vector<RunValue> arguments = {});

/// The same as a program: the arguments are `options`'; an exception goes through the runtime's `sifr_raise`, which ends the
/// process or calls the host's hook. Returns the exit code.
int interpret(const Captured& f, const RunOptions& options);
int interpret(const Functional& f, const RunOptions& options);
int interpret(const Fused& f, const RunOptions& options);

}  // namespace sifr
