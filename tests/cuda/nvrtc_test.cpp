// The real NVRTC, where there is one: every kernel of the examples and of programs of the corpus becomes machine code, without a warning and without
// a spill.

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/scripts/program.h"
#include "tests/support/golden.h"
#include "tests/support/process.h"

namespace sifr::test {
namespace {

namespace fs = std::filesystem;

/// The table of --stats, or what went wrong.
std::string stats_of(const fs::path& script, const fs::path& folder) {
    const CommandResult r = run_command({.argv = {SIFR_BINARY, "build", "--device=cuda", "--gpu-arch=sm_80", "--stats", script.string(), "-o", (folder / "program").string()},
                                         .environment = {{"SIFR_CACHE_DIR", ""}, {"SIFR_NVRTC", ""}},
                                         .timeout_s = 300});
    if (!r.exited(0)) return "FAILED " + r.how_it_ended() + "\n" + r.err;
    return r.err;
}

bool has_nvrtc() {
    static const bool found = [] {
        TempDir folder;
        write_file(folder.path() / "t.py", "import torch\nprint(torch.zeros(3) + 1)\n");
        return stats_of(folder.path() / "t.py", folder.path()).find("NVRTC, which compiles kernels") == std::string::npos;
    }();
    return found;
}

void expect_clean(const fs::path& script, const fs::path& folder) {
    const std::string stats = stats_of(script, folder);
    EXPECT_FALSE(stats.starts_with("FAILED")) << script << "\n" << stats;
    const size_t kernels = stats.find("\nKernels\n");  // in front of it stand sifr's own warnings about the script
    EXPECT_NE(kernels, std::string::npos) << script << "\n" << stats;
    EXPECT_EQ(stats.find("warning", kernels), std::string::npos) << script << "\n" << stats;
    EXPECT_NE(stats.find("; 0 spill"), std::string::npos) << script << "\n" << stats;
}

TEST(CudaNvrtc, EveryKernelOfTheExamples) {
    if (!has_nvrtc()) GTEST_SKIP() << "not run: NVRTC not found";
    TempDir folder;
    for (const Program& p : load_scripts(fs::path(SIFR_TEST_DIR) / "../examples", "example"))
        if (!p.error) expect_clean(p.path, folder.path());
}

TEST(CudaNvrtc, KernelsOfTheCorpus) {
    if (!has_nvrtc()) GTEST_SKIP() << "not run: NVRTC not found";
    TempDir folder;
    const fs::path scripts = fs::path(SIFR_TEST_DIR) / "scripts";
    const std::string listed = "\n" + read_file(scripts / "passing.txt");
    int taken = 0, seen = 0;
    for (const Program& p : load_scripts(scripts / "corpus", "corpus")) {
        if (p.error || listed.find("\n" + p.id + "\n") == std::string::npos) continue;
        if (seen++ % 19 != 0 && !std::getenv("SIFR_ALL")) continue;
        expect_clean(p.path, folder.path());
        ++taken;
    }
    if (taken == 0) GTEST_SKIP() << "no program is listed";
}

}  // namespace
}  // namespace sifr::test
