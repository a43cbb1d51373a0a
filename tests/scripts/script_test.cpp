// Runs scripts through sifr and compares with what PyTorch did. Which must pass: all of tests/scripts/*.py, and of the examples, the
// corpus and the probes those that passing.txt lists, each in every mode that covers its kind.
//
//   SIFR_MODES=share  in each mode also its share of the corpus and the probes, not only in the first one
//   SIFR_MODES=all  all programs in every mode
//   SIFR_MODE=X     only the mode X
//   SIFR_UPDATE=1   runs all programs and adds to passing.txt those that pass; none is ever taken out by itself
//   SIFR_ALL=1      runs all programs, prints a table by area and one line for each that does not pass
//   SIFR_FILTER=X   only programs whose kind/name contains X

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/scripts/runner.h"
#include "tests/support/golden.h"

namespace sifr::test {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(SIFR_TEST_DIR) / "scripts";
const fs::path list_file = folder / "passing.txt";
constexpr size_t described_failures = 10;  // of each mode; the others are named

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::vector<Program> all_programs() {
    std::vector<Program> programs = load_scripts(folder, "own");
    for (std::vector<Program>& more :
         std::vector<std::vector<Program>>{load_scripts(folder / "../../examples", "example"), load_scripts(folder / "corpus", "corpus"),
                                           load_scripts(folder / "../semantics", "semantics"),
                                           load_probes(folder / "probes.jsonl")})
        std::move(more.begin(), more.end(), std::back_inserter(programs));
    return programs;
}

std::vector<std::string> listed_lines() {
    std::vector<std::string> ids;
    std::istringstream lines(read_file(list_file));
    for (std::string line; std::getline(lines, line);) ids.push_back(line);
    return ids;
}

TEST(Scripts, TheListIsSortedAndNamesEachProgramOnce) {
    std::set<std::string> known;
    for (const Program& program : all_programs()) EXPECT_TRUE(known.insert(program.id).second) << program.id << " occurs twice";
    std::vector<std::string> ids = listed_lines();
    for (size_t i = 0; i < ids.size(); ++i) {
        EXPECT_TRUE(known.contains(ids[i])) << ids[i] << " is listed, but there is no such program";
        EXPECT_TRUE(i == 0 || ids[i - 1] < ids[i]) << ids[i] << " is not in its place";
        EXPECT_FALSE(ids[i].starts_with("own/")) << ids[i] << " must pass anyway";
    }
}

/// The compiler under test; SIFR_BINARY names another one.
const std::string binary = variable("SIFR_BINARY").empty() ? SIFR_BINARY_BUILT : variable("SIFR_BINARY");

/// What the first mode dumps, by program: each runs for it once.
std::map<std::string, std::string> reference_bits;

/// A program that does what PyTorch does must also have the first mode's bits.
void expect_bits(const std::vector<Program>& programs, std::vector<Outcome>& outcomes) {
    std::vector<Program> missing;
    for (const Program& program : programs)
        if (!reference_bits.contains(program.id)) missing.push_back(program);
    std::vector<Outcome> references = run_programs(missing, all_modes().front(), binary, true);
    for (size_t i = 0; i < missing.size(); ++i) reference_bits[missing[i].id] = references[i].bits;
    for (size_t i = 0; i < programs.size(); ++i) {
        if (!passes(outcomes[i].judgement.verdict)) continue;
        if (std::string where = first_difference(reference_bits[programs[i].id], outcomes[i].bits); !where.empty())
            outcomes[i].judgement = {Verdict::Wrong, fmt::format("the bits are not those of mode '{}': {}", all_modes().front().name, where)};
    }
}

TEST(Scripts, BehaveAsUnderPyTorchInEveryMode) {
    bool update = updating(), all = update || variable("SIFR_ALL") == "1", everywhere = variable("SIFR_MODES") == "all", shares = variable("SIFR_MODES") == "share";
    std::string filter = variable("SIFR_FILTER");
    std::vector<std::string> lines = listed_lines();
    std::set<std::string> listed(lines.begin(), lines.end()), failed, ran;

    for (const Mode& mode : all_modes()) {
        auto required = [&](const Program& program) { return program.kind() == "own" || listed.contains(program.id); };
        if (std::string only = variable("SIFR_MODE"); !only.empty() && only != mode.name) continue;
        std::vector<Program> programs = all_programs();
        std::erase_if(programs, [&](const Program& program) {
            bool small = program.kind() != "corpus" && program.kind() != "probe";
            bool here = small || everywhere || (shares && takes_part(mode, program)) || mode.one_in == 1;
            return !here || !(all || required(program)) || program.id.find(filter) == std::string::npos;
        });
        if (programs.empty()) continue;
        auto start = std::chrono::steady_clock::now();
        std::vector<Outcome> outcomes = run_programs(programs, mode, binary, mode.bits);
        if (mode.bits) expect_bits(programs, outcomes);
        double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

        size_t failures = 0;
        for (size_t i = 0; i < programs.size(); ++i) {
            const Judgement& judgement = outcomes[i].judgement;
            ran.insert(programs[i].id);
            if (passes(judgement.verdict)) continue;
            failed.insert(programs[i].id);
            if (!required(programs[i])) {
                fmt::print("{:<11} {:<36} {}\n", name_of(judgement.verdict), programs[i].id, judgement.why);
            } else if (failures++ < described_failures) {
                ADD_FAILURE() << describe(programs[i], mode, outcomes[i]);
            } else {
                ADD_FAILURE() << fmt::format("{} in mode '{}': {}: {}", programs[i].id, mode.name, name_of(judgement.verdict),
                                             judgement.why);
            }
        }
        fmt::print("mode '{}': {} programs in {:.1f} s\n{}\n", mode.name, programs.size(), seconds, table_by_area(programs, outcomes));
        std::fflush(stdout);
    }

    if (update) {
        std::string text;
        for (const std::string& id : ran) {
            if (!failed.contains(id) && !id.starts_with("own/")) listed.insert(id);
        }
        for (const std::string& id : listed) text += id + "\n";
        fmt::print("{} programs listed, {} of them new\n", listed.size(), listed.size() - lines.size());
        write_file(list_file, text);
    }
}

}  // namespace
}  // namespace sifr::test
