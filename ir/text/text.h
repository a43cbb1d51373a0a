#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/base/source.h"
#include "ir/func/stage.h"

namespace sifr {

struct PrintOptions {
    bool locations = true;  ///< `@3:1` behind each instruction
    bool ledger = false;    ///< the clear ledger behind the function
    /// What is derived about an instruction, printed behind `//`; the parser skips it. May be empty.
    std::function<std::string(InstId)> comment;
};

/// The text of a function as ir/text/README.md describes it. Erased instructions are left out. Never fails, so that what the
/// verifier refuses can be looked at.
std::string print(const Function& f, Stage stage, const PrintOptions& options = {});
template <Stage S>
std::string print(const At<S>& f, const PrintOptions& options = {}) {
    return print(f.function, S, options);
}

/// One instruction without its regions, for messages: `%y = sum.dim %x, dim=[0]`. Values are named by their hints or ids.
std::string print_inst(const Function& f, InstId id);

struct ParsedFunction {
    Stage stage = Stage::Functional;
    Function function;
    std::vector<Span> places;  ///< where each instruction stands in the IR text, by InstId
};

/// Reads one function as ir/text/README.md describes it, and verifies it at its stage. Throws CompileError at the place in the text.
/// Spans of the script are points: the text carries their beginnings only.
ParsedFunction parse_function(const SourceFile& file);

}  // namespace sifr
