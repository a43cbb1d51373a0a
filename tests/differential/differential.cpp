#include "tests/differential/differential.h"

#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/differential/generator.h"

namespace sifr::test {

CompareOptions options_of(const Differential& d, uint64_t seed) {
    auto one_in = [&](int n, uint64_t phase) { return n > 0 && (seed + phase) % static_cast<uint64_t>(n) == 0; };
    CompareOptions o;
    o.jit = one_in(d.jit_one_in, 0);
    o.round_trip = one_in(d.deep_one_in, 1);
    o.unrolled_from = one_in(d.deep_one_in, 2) ? 1 : 0;
    return o;
}

DifferentialResult run_differential(const Differential& d, const std::function<void(const DifferentialResult::Difference&)>& told) {
    DifferentialResult r;
    auto start = std::chrono::steady_clock::now();
    auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
    for (int64_t k = 0; k < d.programs && passed() < d.seconds; ++k) {
        uint64_t seed = d.first_seed + static_cast<uint64_t>(k);
        if (d.at_seed) d.at_seed(seed);
        GeneratedProgram program = generate_program(seed);
        CompareOptions options = options_of(d, seed);
        Comparison c = compare_stages(program.text, options);
        ++r.programs;
        for (const auto& [feature, count] : program.features) ++r.features[feature];
        r.rows.merge(c.rows);
        bool supported = true;
        for (const Run& run : c.runs) {
            if (run.end != Run::End::Unsupported) continue;
            supported = false;
            ++r.not_supported[fmt::format("{}: {}", run.way, run.text.substr(0, run.text.find('\n')))];
        }
        if (!supported) ++r.unsupported;
        else if (c.runs.front().end == Run::End::Finished) ++r.finished;
        else ++r.raised;
        if (c.difference.empty()) continue;
        r.differences.push_back({seed, c.difference, d.minimised ? minimise(program.text, options) : program.text});
        if (told) told(r.differences.back());
        if (static_cast<int>(r.differences.size()) >= d.stop_after) break;
    }
    r.seconds = passed();
    return r;
}

std::string summary(const DifferentialResult& r) {
    std::string text = fmt::format("{} programs in {:.1f} s ({:.0f} a second): {} finished, {} raised, {} not supported somewhere; {} differ\n", r.programs,
                                   r.seconds, static_cast<double>(r.programs) / std::max(r.seconds, 1e-9), r.finished, r.raised, r.unsupported, r.differences.size());
    text += fmt::format("{} op rows: {}\n", r.rows.size(), fmt::join(r.rows, " "));
    for (const auto& [feature, count] : r.features) text += fmt::format("{:>8}  {}\n", count, feature);
    for (const auto& [what, count] : r.not_supported) text += fmt::format("{:>8}  not supported, {}\n", count, what);
    return text;
}

}  // namespace sifr::test
