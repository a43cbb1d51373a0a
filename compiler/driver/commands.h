#pragma once

#include "compiler/driver/options.h"

namespace sifr::driver {

/// Carries out the command; gives the exit code. Throws CompileError for files, and InternalError for faults of ours;
/// what a script does wrong is shown here.
int execute(const Options& options);

}  // namespace sifr::driver
