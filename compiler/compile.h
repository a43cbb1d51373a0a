#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/frontend/capture/capture.h"
#include "ir/base/diagnostic.h"
#include "passes/run_passes.h"

namespace sifr {

struct CompileOptions {
    capture::CaptureOptions capture;
    RunPassesOptions passes;
};

/// What one compilation leaves behind.
struct Compilation {
    SourceFiles files;                        ///< file 0 is the script
    std::optional<Program> program;           ///< at the stage that was asked for
    std::vector<Diagnostic> diagnostics;      ///< warnings and remarks, in order
    std::vector<capture::LoopReport> loops;
    std::vector<PassTiming> timings;
};

/// The whole compiler up to the back end: parse, capture, passes. Throws CompileError for what the script does wrong;
/// `out.files` is filled by then, so that the error can be shown.
void compile(Compilation& out, std::string path, std::string text, const CompileOptions& options);

/// The passes alone, from where `out.program` stands.
void lower(Compilation& out, const CompileOptions& options);

}  // namespace sifr
