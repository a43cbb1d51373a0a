#pragma once

#include <string>

#include "compiler/compile.h"
#include "compiler/driver/options.h"

namespace sifr::driver {

/// Prints a diagnostic on stderr, for people or (`--error-format=json`) as one JSON object a line.
void show(const Diagnostic& d, const SourceFiles& files, const Options& options);

/// One diagnostic as a JSON object, without a line break.
std::string to_json(const Diagnostic& d, const SourceFiles& files);

/// `--time-passes`: a line for each step, with its share.
std::string timing_text(const std::vector<PassTiming>& timings);

/// `--stats`: the clear ledger, then memory and kernels of a plan.
std::string statistics_text(const Plan& plan, const SourceFiles& files);

/// `--remarks`: one JSON object a line for each clear and each remark.
std::string remarks_text(const Compilation& compilation);

}  // namespace sifr::driver
