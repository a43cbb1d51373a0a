#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/scripts/judge.h"
#include "tests/scripts/program.h"

namespace sifr::test {

/// One way to run a script. A program must behave the same in all of them.
struct Mode {
    const char* name;
    std::vector<std::string> arguments;  ///< of sifr; the script's path comes behind them
    int one_in = 1;                      ///< of the corpus and the probes, one in so many runs in it
    bool executable = false;             ///< the arguments build a program, which is run then: `-o PROGRAM` is added
    bool bits = false;                   ///< what `--dump-bits` writes must be what the first mode writes
    double timeout_s = 60;               ///< for each of the two steps
    std::vector<std::pair<std::string, std::string>> environment = {};  ///< of both steps
};

/// The modes, in the order of their columns. The first is the one that the corpus' table is about: all programs run in it. Those that
/// need a CPU which this machine is not are left out.
const std::vector<Mode>& all_modes();

/// Does this program belong to the mode's share? Our own scripts, the examples and tests/semantics do in all modes; of the others each
/// mode has a fixed share, another one than the other modes (by a hash of both names), so that together they see most programs.
bool takes_part(const Mode& mode, const Program& program);

struct Outcome {
    Judgement judgement;
    CommandResult result;
    std::string bits;  ///< what `--dump-bits` wrote, where it was asked for
};

/// Runs each program once with the compiler `sifr` and judges it; in the order of the programs. Two run at a time. With `dump_bits`,
/// `Outcome::bits` is filled.
std::vector<Outcome> run_programs(const std::vector<Program>& programs, const Mode& mode, const std::filesystem::path& sifr,
                                  bool dump_bits = false);

/// The first line in which two dumps differ, for a reader; empty if they are equal.
std::string first_difference(const std::string& expected, const std::string& got);

/// A table with one row for each kind and area: how many programs got each verdict, and the share that passes.
std::string table_by_area(const std::vector<Program>& programs, const std::vector<Outcome>& outcomes);

/// A failure for a reader: the program, the mode, the reason, how to run it by hand, what differs and the end of stderr.
std::string describe(const Program& program, const Mode& mode, const Outcome& outcome);

}  // namespace sifr::test
