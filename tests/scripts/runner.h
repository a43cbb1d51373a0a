#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/scripts/judge.h"
#include "tests/scripts/program.h"

namespace sifr::test {

/// One way to run a script. A program must behave the same in all of them.
struct Mode {
    const char* name;
    std::vector<std::string> arguments;  ///< of sifr; the script's path comes behind them
    bool executable;                     ///< the arguments build a program, which is run then: `-o PROGRAM` is added
    bool whole_corpus;                   ///< also the corpus and the probes run in it; else our own scripts and the examples alone
    double timeout_s;                    ///< for each of the two steps
    std::vector<std::pair<std::string, std::string>> environment = {};  ///< of both steps
};

/// The modes, in the order of their columns. The first is the one that the corpus' table is about.
const std::vector<Mode>& all_modes();

struct Outcome {
    Judgement judgement;
    CommandResult result;
};

/// Runs each program once with the compiler `sifr` and judges it; in the order of the programs. Two run at a time.
std::vector<Outcome> run_programs(const std::vector<Program>& programs, const Mode& mode, const std::filesystem::path& sifr);

/// A table with one row for each kind and area: how many programs got each verdict, and the share that passes.
std::string table_by_area(const std::vector<Program>& programs, const std::vector<Outcome>& outcomes);

/// A failure for a reader: the program, the mode, the reason, how to run it by hand, what differs and the end of stderr.
std::string describe(const Program& program, const Mode& mode, const Outcome& outcome);

}  // namespace sifr::test
