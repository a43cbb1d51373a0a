#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/frontend/syntax/ast.h"
#include "ir/base/diagnostic.h"
#include "ir/base/hazard_mode.h"
#include "ir/func/stage.h"

/// Runs a script once, at compile time, over static and run-time values, and writes down what is left to do.
namespace sifr::capture {

class Interpreter;

enum class LoopMode : uint8_t {
    Auto,    ///< roll what is long or holds a backward
    Roll,    ///< roll whatever can be
    Unroll,  ///< never; the meaning that the others must keep
};

struct CaptureOptions {
    LoopMode loops = LoopMode::Auto;
    HazardMode hazards = HazardMode::Error;
    bool cuda = false;                 ///< `--device=cuda`: what torch.cuda.is_available() says
    bool dump_bits = false;            ///< write down the bits of what is printed, of `.item()` and of the final parameters
    std::string script_path = "t.py";  ///< as given; sys.argv[0] and messages
    /// `sys.argv[1:]` when it is known (`run`, `--bake-args`); nothing: run-time strings.
    std::optional<std::vector<std::string>> argv;
    int64_t roll_threshold = 64;        ///< Auto: instructions that an unrolled loop may make
    int64_t unroll_limit = 100000;      ///< iterations
    int64_t recursion_limit = 1000;     ///< Python's
    int64_t instruction_limit = 4000000;
    /// What adds modules and classes beside the language itself: `bind_torch`.
    std::vector<void (*)(Interpreter&)> bindings;
};

/// What became of one loop of the script, for `--print=loops`.
struct LoopReport {
    Span span;
    enum class Verdict : uint8_t { Rolled, Unrolled } verdict = Verdict::Unrolled;
    int64_t trip_count = -1;  ///< -1: known only at run time
    int64_t peeled = 0;       ///< iterations in front of the rolled loop
    int rounds = 0;           ///< trial captures
    std::string reason;       ///< why unrolled, or why peeled
};

struct CaptureResult {
    Captured captured;
    std::vector<Diagnostic> warnings;
    std::vector<LoopReport> loops;
};

/// Throws CompileError for what the script does wrong, and for what is not supported. `files` gets the prelude's modules;
/// file 0 is the script. Warnings go to `sink` too, as they come.
CaptureResult capture(const syntax::Module& script, SourceFiles& files, const CaptureOptions& options, const DiagnosticSink& sink = {});

/// The same report as the command line prints: one line for each loop.
std::string loop_report_text(const std::vector<LoopReport>& loops, const SourceFiles& files);

}  // namespace sifr::capture
