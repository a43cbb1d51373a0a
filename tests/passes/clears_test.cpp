// Each script of clears/ has a golden text beside it: what became of every clear of the script, and what the plan still makes
// zero. The same run shows that nothing else has changed: the plan prints what the captured program prints.

#include <algorithm>
#include <filesystem>
#include <functional>

#include "compiler/compile.h"
#include "ir/interp/interp.h"
#include "runtime/sifr_runtime.h"
#include "tests/support/golden.h"

namespace sifr {
namespace {

namespace fs = std::filesystem;
const fs::path folder = fs::path(SIFR_TEST_DIR) / "passes" / "clears";

std::string place(const Location& location) {
    return location.empty() || !location.front().known() ? "-" : fmt::format("{}:{}", location.front().line, location.front().column);
}

/// What is printed while `run` runs.
std::string printed(const std::function<void()>& run) {
    std::string out;
    sifr_host_hooks hooks{};
    hooks.user = &out;
    hooks.write_stdout = [](void* user, const char* data, int64_t size) { static_cast<std::string*>(user)->append(data, static_cast<size_t>(size)); };
    sifr_set_host_hooks(&hooks);
    run();
    sifr_flush();
    sifr_set_host_hooks(nullptr);
    return out;
}

/// Every step of the plan that makes bytes zero, with the loops and arms around it.
void clearing_steps(const Plan& plan, const PlanBlock& block, const std::string& indent, std::string& out) {
    for (const PlanInst& i : block.insts) {
        std::string inner;
        for (const PlanBlock& b : i.blocks) clearing_steps(plan, b, indent + "  ", inner);
        if (!inner.empty()) out += fmt::format("{}{}\n{}", indent, i.kind == PlanInst::Kind::If ? "on a path" : "on every trip", inner);
        if (i.kind == PlanInst::Kind::Fill && i.pattern == 0) {
            std::vector<std::string> names;
            for (PlanBuffer b : i.buffers) names.push_back("#" + plan.buffers[b.index].name);
            out += fmt::format("{}{} {}: {} bytes\n", indent, i.lazy ? "fresh pages" : "fill", fmt::join(names, " "), i.size);
        } else if (i.kind == PlanInst::Kind::Launch && !i.clears.empty()) {
            out += fmt::format("{}kernel @{}\n", indent, plan.kernels[i.kernel.index].name);
        }
    }
}

std::string report(const Plan& plan) {
    std::string out;
    int64_t captured = 0, kept = 0;
    for (const Clear& c : plan.ledger) {
        captured += c.bytes;
        kept += c.kept_bytes;
        out += fmt::format("{:<6}{:>9} -> {:<8} {:<8} {}{}\n", place(c.location), c.bytes, c.kept_bytes, name_of(c.verdict), c.origin == Clear::Origin::Autograd ? "(autograd) " : "", c.reason);
    }
    out += fmt::format("total {:>9} -> {}\n", captured, kept);
    std::string steps;
    clearing_steps(plan, plan.body, "", steps);
    return out + (steps.empty() ? "nothing is cleared\n" : steps);
}

class Clears : public ::testing::TestWithParam<std::string> {};

TEST_P(Clears, AreWhatTheGoldenTextSays) {
    fs::path script = folder / (GetParam() + ".py");
    auto compiled = [&](const char* stage) {
        Compilation c;
        CompileOptions options;
        options.capture.script_path = script.filename().string();
        options.passes.verify_each = true;
        options.passes.stop_at = stage;
        compile(c, script.filename().string(), test::read_file(script), options);
        return std::move(*c.program);
    };
    Program plan = compiled("plan"), captured = compiled("captured");
    EXPECT_TRUE(test::matches_golden(folder / (GetParam() + ".out"), report(std::get<Plan>(plan))));
    RunOptions options;
    std::string expected = printed([&] { EXPECT_EQ(interpret(std::get<Captured>(captured), options), 0); });
    EXPECT_NE(expected, "");
    EXPECT_EQ(printed([&] { EXPECT_EQ(interpret(std::get<Plan>(plan), options), 0); }), expected);
}

std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const auto& e : fs::directory_iterator(folder))
        if (e.path().extension() == ".py") out.push_back(e.path().stem().string());
    std::sort(out.begin(), out.end());
    return out;
}
INSTANTIATE_TEST_SUITE_P(Of, Clears, ::testing::ValuesIn(names()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sifr
