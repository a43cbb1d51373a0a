// differential [--programs=N] [--seed=N] [--seconds=N] [--jit=N] [--deep=N] [--stop-after=N] [--raw]
//              [--print=SEED] [--check=FILE.py|FOLDER] [--emit=FILE] [--faults[=NAME]]
//
// Random programs, as many as one likes: every way of running each is compared, and what differs is told with the smallest program
// that shows it. `--jit=N`, `--deep=N`: one program in N (also compiled; verified after every pass, with its text read back, and unrolled
// at every stage). `--emit` writes programs with what they print, one JSON object a line (against_pytorch.py reads it). `--faults`, in a build with
// -DSIFR_PLANTED_FAULTS=ON, plants the faults of ir/base/planted_fault.h (or one of them), and says after how many programs each is found.
// Exit status 1 if anything differed, or a fault was not found.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "tests/differential/differential.h"
#include "tests/differential/faults.h"
#include "tests/differential/generator.h"

namespace {

using namespace sifr::test;

uint64_t now_running = 0;

/// A crash ends the run, but says which program it was.
void on_crash(int signal) {
    char text[96];
    int n = std::snprintf(text, sizeof text, "seed %llu: signal %d\n", static_cast<unsigned long long>(now_running), signal);
    ssize_t ignored = ::write(2, text, static_cast<size_t>(n));
    (void)ignored;
    ::_exit(1);
}

std::string json_text(const std::string& s) {
    std::string out = "\"";
    for (char c : s) {
        if (c == '"' || c == '\\') out += {'\\', c};
        else if (static_cast<unsigned char>(c) < 32) out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else out += c;
    }
    return out + "\"";
}

int emit(const Differential& d, const std::string& path) {
    std::ofstream file(path);
    for (int64_t k = 0; k < d.programs; ++k) {
        now_running = d.first_seed + static_cast<uint64_t>(k);
        GeneratedProgram program = generate_program(now_running);
        Comparison c = compare_stages(program.text, {});
        // The rolled program is what a user runs.
        const Run* last = nullptr;
        for (const Run& r : c.runs)
            if (r.way.starts_with("rolled")) last = &r;
        const char* ends[] = {"finished", "raised", "refused", "unsupported", "fault"};
        file << fmt::format("{{\"seed\": {}, \"program\": {}, \"out\": {}, \"end\": \"{}\", \"text\": {}}}\n", now_running, json_text(program.text), json_text(last->out),
                            ends[static_cast<int>(last->end)], json_text(last->text));
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    for (int s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) std::signal(s, on_crash);
    Differential d;
    std::string emit_to, check, fault;
    bool faults = false;
    for (int k = 1; k < argc; ++k) {
        std::string a = argv[k], value = a.find('=') == std::string::npos ? "" : a.substr(a.find('=') + 1);
        auto is = [&](const char* name) { return a.substr(0, a.find('=')) == name; };
        if (is("--programs")) d.programs = std::stoll(value);
        else if (is("--seed")) d.first_seed = std::stoull(value);
        else if (is("--seconds")) d.seconds = std::stod(value);
        else if (is("--jit")) d.jit_one_in = std::stoi(value);
        else if (is("--deep")) d.deep_one_in = std::stoi(value);
        else if (is("--stop-after")) d.stop_after = std::stoi(value);
        else if (is("--raw")) d.minimised = false;
        else if (is("--emit")) emit_to = value;
        else if (is("--check")) check = value;
        else if (is("--faults")) faults = true, fault = value;
        else if (is("--print")) {
            fmt::print("{}", generate_program(std::stoull(value)).text);
            return 0;
        } else {
            fmt::print(stderr, "differential: unknown option {}\n", a);
            return 2;
        }
    }
    if (faults) return find_faults(d, fault) ? 0 : 1;
    if (std::filesystem::is_directory(check)) {
        // Scripts of a folder: only those that differ are told.
        int differ = 0;
        for (const auto& entry : std::filesystem::directory_iterator(check)) {
            if (entry.path().extension() != ".py") continue;
            std::stringstream text;
            text << std::ifstream(entry.path()).rdbuf();
            Comparison c = compare_stages(text.str(), {.jit = d.jit_one_in > 0, .round_trip = true, .unrolled_from = 1});
            if (c.difference.empty()) continue;
            ++differ;
            fmt::print("{}: {}\n", entry.path().stem().string(), c.difference);
            std::fflush(stdout);
        }
        return differ == 0 ? 0 : 1;
    }
    if (!check.empty()) {
        std::stringstream text;
        text << std::ifstream(check).rdbuf();
        CompareOptions options{.jit = d.jit_one_in > 0, .round_trip = true, .unrolled_from = 1};
        Comparison c = compare_stages(text.str(), options);
        for (const Run& r : c.runs) fmt::print("== {}: {}\n{}", r.way, r.text, r.out);
        fmt::print("{}\n", c.difference);
        return c.difference.empty() ? 0 : 1;
    }
    if (!emit_to.empty()) return emit(d, emit_to);
    d.at_seed = [](uint64_t seed) { now_running = seed; };
    DifferentialResult r = run_differential(d, [](const DifferentialResult::Difference& found) {
        fmt::print("---- seed {}: {}\n{}", found.seed, found.what, found.program);
        std::fflush(stdout);
    });
    fmt::print("{}", summary(r));
    return r.differences.empty() ? 0 : 1;
}
