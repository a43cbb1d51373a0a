// Each case is a program in text form whose first line names passes: `// passes: elide-redundant-clears,dce`. Its golden text is the
// program behind them, and what the ledger says about the clears that are gone or explained by then.

#include <algorithm>
#include <filesystem>

#include "ir/text/text.h"
#include "passes/run_passes.h"
#include "tests/support/golden.h"

namespace sifr {
namespace {

namespace fs = std::filesystem;
const fs::path folder = fs::path(SIFR_TEST_DIR) / "passes" / "cases";

std::vector<std::string> passes_of(const std::string& text) {
    const std::string head = "// passes: ";
    std::vector<std::string> out;
    if (text.compare(0, head.size(), head) != 0) return out;
    std::string list = text.substr(head.size(), text.find('\n') - head.size());
    for (size_t at = 0; at <= list.size();) {
        size_t end = std::min(list.find(',', at), list.size());
        out.push_back(list.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

class Passes : public ::testing::TestWithParam<std::string> {};

TEST_P(Passes, MakeOfTheProgramWhatTheGoldenTextSays) {
    std::string text = test::read_file(folder / (GetParam() + ".sifr"));
    RunPassesOptions options;
    options.only = passes_of(text);
    options.verify_each = true;
    ASSERT_FALSE(options.only.empty());
    SourceFile file(GetParam() + ".sifr", text);
    Program program = parse_program(file);
    PassContext context;
    std::string out;
    context.report = [&](const Diagnostic& d) { out += d.text + "\n"; };
    run_passes(program, context, options);
    const Function& f = std::get<Functional>(program).function;
    PrintOptions how;
    how.locations = false;
    out += print(f, Stage::Functional, how);
    for (size_t k = 0; k < f.ledger.size(); ++k)
        if (const Clear& c = f.ledger[k]; !c.reason.empty()) out += fmt::format("// clear #{}: {}{}\n", k, c.verdict == Clear::Verdict::Open ? "stays: " : "", c.reason);
    EXPECT_TRUE(test::matches_golden(folder / (GetParam() + ".out"), out));
}

std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const auto& e : fs::directory_iterator(folder))
        if (e.path().extension() == ".sifr") out.push_back(e.path().stem().string());
    std::sort(out.begin(), out.end());
    return out;
}
INSTANTIATE_TEST_SUITE_P(Of, Passes, ::testing::ValuesIn(names()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sifr
