#include "tests/scripts/runner.h"

#include <array>
#include <atomic>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/support/golden.h"

namespace sifr::test {

namespace fs = std::filesystem;

namespace {

constexpr int threads = 2;

CommandResult run_program(const fs::path& script, const Mode& mode, const fs::path& sifr, const fs::path& executable) {
    Command command{.argv = {sifr.string()}, .environment = mode.environment, .timeout_s = mode.timeout_s};
    command.argv.insert(command.argv.end(), mode.arguments.begin(), mode.arguments.end());
    command.argv.push_back(script.string());
    if (!mode.executable) return run_command(command);

    command.argv.insert(command.argv.end(), {"-o", executable.string()});
    CommandResult built = run_command(command);
    if (!built.exited(0)) return built;
    CommandResult ran = run_command({.argv = {executable.string()}, .environment = mode.environment, .timeout_s = mode.timeout_s});
    fs::remove(executable);
    ran.out = built.out + ran.out;  // a compiler that prints is seen
    ran.err = built.err + ran.err;
    ran.seconds += built.seconds;
    return ran;
}

}  // namespace

const std::vector<Mode>& all_modes() {
    static const std::vector<Mode> modes = {
        {.name = "run", .arguments = {"run"}, .executable = false, .whole_corpus = true, .timeout_s = 60},
        {.name = "exe", .arguments = {"build"}, .executable = true, .whole_corpus = false, .timeout_s = 60},
    };
    return modes;
}

std::vector<Outcome> run_programs(const std::vector<Program>& programs, const Mode& mode, const fs::path& sifr) {
    TempDir folder;
    std::vector<Outcome> outcomes(programs.size());
    std::atomic<size_t> next = 0;
    auto work = [&] {
        for (size_t i = next++; i < programs.size(); i = next++) {
            const Program& program = programs[i];
            fs::path script = program.path;
            if (!program.source.empty()) {
                script = folder.path() / fmt::format("{}.py", program.id.substr(program.id.find('/') + 1));
                write_file(script, program.source);
            }
            outcomes[i].result = run_program(script, mode, sifr, folder.path() / fmt::format("program-{}", i));
            outcomes[i].judgement = judge(program, outcomes[i].result);
        }
    };
    std::vector<std::thread> pool;
    for (int i = 0; i < threads; ++i) pool.emplace_back(work);
    for (std::thread& thread : pool) thread.join();
    return outcomes;
}

std::string table_by_area(const std::vector<Program>& programs, const std::vector<Outcome>& outcomes) {
    using Row = std::array<int, verdict_count>;
    std::map<std::pair<std::string, std::string>, Row> rows;
    Row total{};
    for (size_t i = 0; i < programs.size(); ++i) {
        size_t column = static_cast<size_t>(outcomes[i].judgement.verdict);
        ++rows[{programs[i].kind(), programs[i].area}][column];
        ++total[column];
    }

    std::string text = fmt::format("{:<8} {:<14} {:>6}", "kind", "area", "total");
    for (int v = 0; v < verdict_count; ++v) text += fmt::format(" {:>12}", name_of(static_cast<Verdict>(v)));
    text += fmt::format(" {:>7}\n", "pass");
    auto add = [&](const std::string& kind, const std::string& area, const Row& row) {
        int all = 0, passed = 0;
        for (int v = 0; v < verdict_count; ++v) {
            all += row[static_cast<size_t>(v)];
            if (passes(static_cast<Verdict>(v))) passed += row[static_cast<size_t>(v)];
        }
        text += fmt::format("{:<8} {:<14} {:>6}", kind, area, all);
        for (int count : row) text += fmt::format(" {:>12}", count);
        text += fmt::format(" {:>6.1f}%\n", all == 0 ? 100.0 : 100.0 * passed / all);
    };
    for (const auto& [key, row] : rows) add(key.first, key.second, row);
    add("all", "", total);
    return text;
}

std::string describe(const Program& program, const Mode& mode, const Outcome& outcome) {
    std::string text = fmt::format("{} in mode '{}' ({}): {}: {}\n", program.id, mode.name, outcome.result.how_it_ended(),
                                   name_of(outcome.judgement.verdict), outcome.judgement.why);
    text +=
        fmt::format("  by hand: sifr {} {}\n", fmt::join(mode.arguments, " "), program.source.empty() ? program.path.string() : "PROBE.py");
    if (!program.source.empty()) text += fmt::format("  with PROBE.py:\n{}", program.source);
    text += unified_diff(program.out, outcome.result.out, "PyTorch's output", "sifr's output");
    if (program.error.has_value()) text += fmt::format("PyTorch raises: {}\n", *program.error);
    for (const std::string& warning : program.warnings) text += fmt::format("PyTorch warns: {}\n", warning);
    constexpr size_t shown = 2000;
    const std::string& err = outcome.result.err;
    if (!err.empty())
        text += fmt::format("stderr{}:\n{}\n", err.size() > shown ? " ends" : "", err.substr(err.size() > shown ? err.size() - shown : 0));
    return text;
}

}  // namespace sifr::test
