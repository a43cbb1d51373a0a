#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace sifr::test {

/// What running a program at one stage gave.
struct Run {
    enum class End {
        Finished,
        Raised,       ///< an exception ended it while it ran
        Refused,      ///< the compiler found that exception (so `out` is empty)
        Unsupported,  ///< not supported, at this stage or at all
        Fault,        ///< ours: an internal error, a program that the verifier refuses, text that does not come back
    };
    std::string way;  ///< `captured`, `rolled plan`, …
    End end = End::Finished;
    std::string out;   ///< standard output
    std::string text;  ///< of the exception, of what is not supported, or of the fault
};

struct CompareOptions {
    bool jit = false;         ///< also as machine code
    bool round_trip = false;  ///< print, parse and print again at every stage, and verify after every pass
    int unrolled_from = 0;    ///< 0: unrolled loops at the captured stage only; 1: at every stage
};

/// A program run in every way: captured with its loops unrolled (the meaning), then with loops rolled at every stage.
struct Comparison {
    std::vector<Run> runs;
    std::set<std::string> rows;  ///< names of the op rows in the captured program
    std::string difference;      ///< empty: all agree
};
Comparison compare_stages(const std::string& text, const CompareOptions& options);

/// The smallest program that still differs (has the same kind of difference), by leaving out statements and blocks.
std::string minimise(const std::string& text, const CompareOptions& options);

}  // namespace sifr::test
