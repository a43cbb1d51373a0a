#pragma once

#include <string>

#include "tests/scripts/program.h"
#include "tests/support/process.h"

namespace sifr::test {

/// How a run of sifr compares with the record. The first three pass.
enum class Verdict {
    Same,         ///< does not raise; output, exit status and warnings are right
    SameRun,      ///< raises while running, with the right text, after the right output
    SameCompile,  ///< refused while compiling with the right text; what was printed before is a prefix of the right output
    Unsupported,  ///< refused with a message that says "not supported", after nothing that Python would not print
    Crash,        ///< a signal, an exit status of 64 or more, or a timeout
    Wrong,        ///< anything else
};
constexpr int verdict_count = 6;
const char* name_of(Verdict verdict);
inline bool passes(Verdict verdict) { return verdict <= Verdict::SameCompile; }

struct Judgement {
    Verdict verdict;
    std::string why;  ///< one line; empty if it passes
};

/// Standard output must agree exactly, the exit status be 0 (1 if the program raises), the exception's last lines stand at the end of
/// stderr, and each warning occur in stderr with white space folded; more warnings are no failure. A program that raises may be refused
/// while compiling: then the exception's lines stand anywhere, bare or behind `file.py:L:C: error: `, and the output is a prefix.
Judgement judge(const Program& program, const CommandResult& got);

}  // namespace sifr::test
