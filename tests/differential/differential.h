#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "tests/differential/stages.h"

namespace sifr::test {

/// A run over many programs.
struct Differential {
    uint64_t first_seed = 1;
    int64_t programs = 1000;
    double seconds = 1e9;    ///< stop after this time
    int jit_one_in = 0;      ///< one program in so many also runs as machine code; 0: none
    int deep_one_in = 8;     ///< one in so many: text comes back at every stage, all passes verified, unrolled at every stage
    int stop_after = 10;     ///< differences
    bool minimised = true;   ///< the differences that are told
    std::function<void(uint64_t)> at_seed = {};  ///< before each program
};

struct DifferentialResult {
    int64_t programs = 0, finished = 0, raised = 0, unsupported = 0;
    double seconds = 0;
    std::map<std::string, int64_t> features;      ///< programs that have it
    std::map<std::string, int64_t> not_supported; ///< texts
    std::set<std::string> rows;                   ///< op rows that some program hit
    struct Difference {
        uint64_t seed;
        std::string what, program;
    };
    std::vector<Difference> differences;
};

/// Generates programs and compares all ways of running each. `told` gets each difference as it is found.
DifferentialResult run_differential(const Differential& d, const std::function<void(const DifferentialResult::Difference&)>& told = {});
/// Counts for each feature, rows, rates.
std::string summary(const DifferentialResult& r);
/// How program `seed` is compared under these options.
CompareOptions options_of(const Differential& d, uint64_t seed);

}  // namespace sifr::test
