#include "tests/scripts/runner.h"

#include <array>
#include <atomic>
#include <map>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/support/golden.h"

namespace sifr::test {

namespace fs = std::filesystem;

namespace {

constexpr int threads = 2;

CommandResult run_program(const fs::path& script, const Mode& mode, const fs::path& sifr, const fs::path& executable, const fs::path& bits) {
    Command command{.argv = {sifr.string()}, .environment = mode.environment, .timeout_s = mode.timeout_s};
    command.argv.insert(command.argv.end(), mode.arguments.begin(), mode.arguments.end());
    if (!bits.empty()) command.argv.push_back("--dump-bits=" + bits.string());
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
    static const std::vector<Mode> modes = [] {
        std::vector<Mode> all = {
            {.name = "run", .arguments = {"run"}},
            {.name = "exe", .arguments = {"build"}, .one_in = 16, .executable = true},
            {.name = "captured", .arguments = {"run", "--at=captured"}, .one_in = 12},
            {.name = "functional", .arguments = {"run", "--at=functional"}, .one_in = 12},
            {.name = "fused", .arguments = {"run", "--at=fused"}, .one_in = 12},
            {.name = "plan", .arguments = {"run", "--at=plan"}, .one_in = 12},
            {.name = "unrolled", .arguments = {"run", "--loops=unroll"}, .one_in = 12},
            {.name = "rolled", .arguments = {"run", "--loops=roll"}, .one_in = 12},
            {.name = "one thread", .arguments = {"run"}, .one_in = 24, .environment = {{"SIFR_NUM_THREADS", "1"}}},
            {.name = "two threads", .arguments = {"run"}, .one_in = 24, .environment = {{"SIFR_NUM_THREADS", "2"}}},
            {.name = "v3", .arguments = {"run", "--target-cpu=x86-64-v3"}, .one_in = 24},
        };
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
            all.push_back({.name = "v4", .arguments = {"run", "--target-cpu=x86-64-v4"}, .one_in = 24});
        return all;
    }();
    return modes;
}

bool takes_part(const Mode& mode, const Program& program) {
    if (mode.one_in == 1 || program.kind() == "own" || program.kind() == "example" || program.kind() == "semantics") return true;
    uint32_t hash = 2166136261u;  // FNV-1a: the same on every machine
    for (char c : fmt::format("{} {}", mode.name, program.id)) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return (hash >> 8) % static_cast<uint32_t>(mode.one_in) == 0;
}

std::vector<Outcome> run_programs(const std::vector<Program>& programs, const Mode& mode, const fs::path& sifr, bool dump_bits) {
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
            fs::path bits = dump_bits ? folder.path() / fmt::format("bits-{}", i) : fs::path();
            outcomes[i].result = run_program(script, mode, sifr, folder.path() / fmt::format("program-{}", i), bits);
            if (dump_bits && fs::exists(bits)) {
                outcomes[i].bits = read_file(bits);
                fs::remove(bits);
            }
            outcomes[i].judgement = judge(program, outcomes[i].result);
        }
    };
    std::vector<std::thread> pool;
    for (int i = 0; i < threads; ++i) pool.emplace_back(work);
    for (std::thread& thread : pool) thread.join();
    return outcomes;
}

std::string first_difference(const std::string& expected, const std::string& got) {
    std::istringstream a(expected), b(got);
    std::string x, y;
    for (int line = 1;; ++line) {
        bool more = static_cast<bool>(std::getline(a, x)), other = static_cast<bool>(std::getline(b, y));
        if (!more && !other) return {};
        if (more && other && x == y) continue;
        constexpr size_t shown = 200;
        return fmt::format("line {}: '{}' against '{}'", line, more ? x.substr(0, shown) : "(nothing)", other ? y.substr(0, shown) : "(nothing)");
    }
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
