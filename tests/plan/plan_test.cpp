#include <filesystem>

#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "passes/fusion/fuse.h"
#include "passes/fusion/lower.h"
#include "passes/memory/fuse_zero_fills.h"
#include "passes/memory/plan_memory.h"
#include "tests/support/golden.h"

namespace sifr {
namespace {

namespace fs = std::filesystem;
const fs::path cases = fs::path(SIFR_TEST_DIR) / "plan" / "cases";

struct Texts {
    std::string fused, plan;
};

/// The groups of a functional text, and the plan with its kernels.
Texts texts(const fs::path& path) {
    SourceFile file(path.filename().string(), test::read_file(path));
    ParsedFunction parsed = parse_function(file);
    PassContext context;
    Fused fused = fuse(Functional(std::move(parsed.function)), context);
    verify(fused, "fuse");
    PrintOptions options;
    options.locations = false;
    Plan plan = plan_memory(fused, context);
    verify(plan);
    fuse_zero_fills(plan, context);
    verify(plan);
    return {print(fused, options), print(plan)};
}

class Case : public ::testing::TestWithParam<std::string> {};

TEST_P(Case, IsFusedAndPlannedAsItsGoldenTextsSay) {
    Texts t = texts(cases / (GetParam() + ".sifr"));
    EXPECT_TRUE(test::matches_golden(cases / (GetParam() + ".fused"), t.fused));
    EXPECT_TRUE(test::matches_golden(cases / (GetParam() + ".plan"), t.plan));
}

std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const auto& e : fs::directory_iterator(cases)) {
        if (e.path().extension() == ".sifr") out.push_back(e.path().stem().string());
    }
    std::sort(out.begin(), out.end());
    return out;
}
INSTANTIATE_TEST_SUITE_P(Plan, Case, ::testing::ValuesIn(names()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sifr
