#include "compiler/driver/report.h"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace sifr::driver {
namespace {

const char* severity_name(Severity s) {
    switch (s) {
        case Severity::Error: return "error";
        case Severity::Warning: return "warning";
        case Severity::Remark: return "remark";
        case Severity::Note: return "note";
    }
    return "";
}

nlohmann::json place(const Span& span, const SourceFiles& files) {
    if (!span.known() || span.file >= files.size()) return nullptr;
    return {{"file", files.file(span.file).path()}, {"line", span.line}, {"column", span.column}, {"end_line", span.end_line}, {"end_column", span.end_column}};
}

std::string where(const Location& location, const SourceFiles& files) {
    if (location.empty() || !location.front().known()) return "-";
    const Span& s = location.front();
    return fmt::format("{}:{}:{}", files.file(s.file).path(), s.line, s.column);
}

}  // namespace

std::string to_json(const Diagnostic& d, const SourceFiles& files) {
    nlohmann::json labels = nlohmann::json::array();
    for (const Label& l : d.labels) labels.push_back({{"place", place(l.span, files)}, {"text", l.text}});
    nlohmann::json j = {{"severity", severity_name(d.severity)}, {"code", d.code},   {"place", place(d.span, files)}, {"text", d.text},
                        {"exception", d.exception},              {"exception_text", d.exception_text}, {"labels", labels}, {"help", d.help}};
    return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void show(const Diagnostic& d, const SourceFiles& files, const Options& options) {
    std::string text = options.json ? to_json(d, files) + "\n" : render(d, files, {.color = options.color});
    std::fflush(stdout);
    std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string timing_text(const std::vector<PassTiming>& timings) {
    double total = 0;
    for (const PassTiming& t : timings) total += t.seconds;
    std::string out = "    ms      %  step\n";
    for (const PassTiming& t : timings) out += fmt::format("{:>6.2f}  {:>5.1f}  {}{}\n", t.seconds * 1e3, total > 0 ? 100 * t.seconds / total : 0.0, t.name, t.changed ? "" : " (unchanged)");
    return out + fmt::format("{:>6.2f}  100.0  total\n", total * 1e3);
}

std::string statistics_text(const Plan& plan, const SourceFiles& files) {
    std::string out = "Clears (bytes for each execution)\n  captured      kept  verdict  where            why\n";
    int64_t captured = 0, kept = 0;
    for (const Clear& c : plan.ledger) {
        captured += c.bytes;
        kept += c.kept_bytes;
        out += fmt::format("{:>10}{:>10}  {:<7}  {:<15}  {}{}\n", c.bytes, c.kept_bytes, name_of(c.verdict), where(c.location, files),
                           c.origin == Clear::Origin::Autograd ? "(autograd) " : "", c.reason);
    }
    out += fmt::format("{:>10}{:>10}  total of {} clears\n", captured, kept, plan.ledger.size());
    int64_t constants = 0;
    for (const auto& data : plan.constants) constants += static_cast<int64_t>(data->bytes.size());
    out += fmt::format("Memory\n  {} bytes of arena, {} buffers, {} bytes of constants\n", plan.arena_bytes, plan.buffers.size(), constants);
    out += fmt::format("Kernels\n  {} of them:\n", plan.kernels.size());
    for (const Kernel& k : plan.kernels) out += fmt::format("  {:<40} {}\n", k.name, where(k.location, files));
    return out;
}

std::string remarks_text(const Compilation& compilation) {
    std::string out;
    auto line = [&](const nlohmann::json& j) { out += j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"; };
    for (const Diagnostic& d : compilation.diagnostics)
        if (d.severity == Severity::Remark) out += to_json(d, compilation.files) + "\n";
    const Plan* plan = compilation.program ? std::get_if<Plan>(&*compilation.program) : nullptr;
    if (!plan) return out;
    for (const Clear& c : plan->ledger)
        line({{"remark", "clear"},
              {"place", c.location.empty() ? nlohmann::json() : place(c.location.front(), compilation.files)},
              {"origin", c.origin == Clear::Origin::Autograd ? "autograd" : "script"},
              {"bytes", c.bytes},
              {"kept_bytes", c.kept_bytes},
              {"missed", c.kept_bytes > 0},
              {"verdict", name_of(c.verdict)},
              {"pass", c.pass},
              {"reason", c.reason}});
    return out;
}

}  // namespace sifr::driver
