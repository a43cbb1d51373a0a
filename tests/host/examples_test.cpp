// The host's examples print what stands beside them, and stay short.

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/process.h"

namespace sifr::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::pair<std::string, fs::path>> examples() {
    std::vector<std::pair<std::string, fs::path>> out;
    for (const fs::directory_entry& e : fs::directory_iterator(SIFR_EXAMPLES))
        if (e.path().extension() == ".cpp") out.emplace_back(e.path().stem().string(), e.path());
    out.emplace_back("ahead", fs::path(SIFR_EXAMPLES) / "ahead" / "score.c");
    std::sort(out.begin(), out.end());
    return out;
}

class Examples : public ::testing::TestWithParam<std::pair<std::string, fs::path>> {};

TEST_P(Examples, PrintsWhatStandsBesideIt) {
    const auto& [name, source] = GetParam();
    Command command;
    command.argv = {(fs::path(SIFR_EXAMPLES_BIN) / name).string()};
    const CommandResult result = run_command(command);
    EXPECT_TRUE(result.exited(0)) << result.how_it_ended() << "\n" << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_TRUE(matches_golden(fs::path(source).replace_extension(".out"), result.out));
    const std::string text = read_file(source);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 80) << source;
}

INSTANTIATE_TEST_SUITE_P(Host, Examples, ::testing::ValuesIn(examples()), [](const auto& info) { return info.param.first; });

}  // namespace
}  // namespace sifr::test
