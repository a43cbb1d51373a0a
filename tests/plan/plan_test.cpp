#include <filesystem>

#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "passes/fusion/fuse.h"
#include "passes/fusion/lower.h"
#include "tests/support/golden.h"

namespace sifr {
namespace {

namespace fs = std::filesystem;
const fs::path cases = fs::path(SIFR_TEST_DIR) / "plan" / "cases";

/// The groups of a functional text, and the loops of each.
std::string fused_text(const fs::path& path) {
    SourceFile file(path.filename().string(), test::read_file(path));
    ParsedFunction parsed = parse_function(file);
    parsed.function.facts.differentiated = parsed.function.facts.decomposed = true;
    PassContext context;
    Fused fused = fuse(Functional(std::move(parsed.function)), context);
    verify(fused, "fuse");
    PrintOptions options;
    options.locations = false;
    std::string text = print(fused, options);
    const Function& f = fused.function;
    walk(f, f.body, [&](InstId id) {
        const Inst& inst = f[id];
        if (inst.op != "group"_op || inst.attrs.get<std::string>("kind") == "alias") return;
        LoweredGroup lowered = lower_group(f, inst, std::vector<bool>(inst.results.size(), false));
        verify(lowered.kernel);
        text += "\n" + print(lowered.kernel);
    });
    return text;
}

class Case : public ::testing::TestWithParam<std::string> {};

TEST_P(Case, IsFusedAndLoweredAsItsGoldenTextSays) {
    fs::path out = cases / (GetParam() + ".fused");
    EXPECT_TRUE(test::matches_golden(out, fused_text(cases / (GetParam() + ".sifr"))));
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
