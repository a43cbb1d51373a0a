#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "passes/pass_table.h"

namespace sifr {

/// A program at whatever stage it has reached.
using Program = std::variant<Captured, Functional, Fused, Plan>;

std::string print(const Program& program);
/// Reads a program of any stage. Throws CompileError at the place in the text.
Program parse_program(const SourceFile& file);
/// The stage's name: `captured`, `functional`, `fused`, `plan`.
const char* stage_name(const Program& program);
/// Throws InternalError where the program breaks a rule of its stage.
void verify(const Program& program);

struct PassTiming {
    std::string name;
    double seconds = 0;
    bool changed = false;
};

struct RunPassesOptions {
    bool verify_each = false;       ///< verify, and check that "unchanged" is honest, after every pass
    bool print_after_all = false;
    bool print_changed = false;     ///< only after passes that changed something
    std::vector<std::string> print_before, print_after;  ///< pass names
    std::function<void(const std::string&)> dump;        ///< gets what is to be printed
    std::string stop_at;            ///< stage name: stop as soon as it is reached
    std::vector<std::string> only;  ///< `--passes=`: these rows in this order, in place of the pipeline
    std::vector<PassTiming>* timings = nullptr;
};

/// Runs the pipeline (or `only`) from where `program` stands.
void run_passes(Program& program, PassContext& context, const RunPassesOptions& options);

}  // namespace sifr
