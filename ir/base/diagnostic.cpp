#include "ir/base/diagnostic.h"

#include <algorithm>

namespace sifr {
namespace {

constexpr const char* reset = "\x1b[0m";

const char* severity_word(Severity s) {
    switch (s) {
        case Severity::Error: return "error";
        case Severity::Warning: return "warning";
        case Severity::Remark: return "remark";
        case Severity::Note: return "note";
    }
    return "";
}

const char* severity_color(Severity s) {
    switch (s) {
        case Severity::Error: return "\x1b[1;31m";
        case Severity::Warning: return "\x1b[1;35m";
        case Severity::Remark: return "\x1b[1;34m";
        case Severity::Note: return "\x1b[1;36m";
    }
    return "";
}

std::string place(const Span& span, const SourceFiles& files) {
    if (!span.known() || span.file >= files.size()) return {};
    return fmt::format("{}:{}:{}: ", files.file(span.file).path(), span.line, span.column);
}

size_t code_points(std::string_view text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// `  5 | y.backward()` and the line of carets with `text` behind it.
void excerpt(std::string& out, const Span& span, const std::string& text, const SourceFiles& files, bool primary, const RenderOptions& options) {
    if (!span.known() || span.file >= files.size()) return;
    std::string_view line = files.file(span.file).line(span.line);
    out += fmt::format("{:>5} | {}\n      | ", span.line, line);
    size_t width = code_points(line);
    size_t begin = span.column - 1;
    size_t end = span.end_line > span.line ? width : (span.end_column > span.column ? span.end_column - 1 : begin + 1);
    end = std::max(std::min(end, width), begin + 1);
    // Tabs in front of the mark are kept, so that it stands under the same column on any terminal.
    size_t seen = 0;
    for (char c : line) {
        if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;
        if (seen++ >= begin) break;
        out += c == '\t' ? '\t' : ' ';
    }
    if (seen < begin) out.append(begin - seen, ' ');
    if (options.color) out += primary ? "\x1b[1;31m" : "\x1b[1;36m";
    out.append(1, '^');
    out.append(end - begin - 1, '~');
    if (!text.empty()) out += " " + text;
    if (options.color) out += reset;
    out += '\n';
}

}  // namespace

std::string render(const Diagnostic& d, const SourceFiles& files, const RenderOptions& options) {
    std::string out;
    std::string raised = d.exception.empty() ? std::string() : d.exception_text.empty() ? d.exception : d.exception + ": " + d.exception_text;
    std::string head = place(d.span, files);
    std::string word = fmt::format("{}: ", severity_word(d.severity));
    if (options.color) {
        head = "\x1b[1m" + head + reset;
        word = severity_color(d.severity) + word + reset;
    }
    // PyTorch's line stands at column 0 when sifr has words of its own, so that a script can match either.
    if (!raised.empty() && !d.text.empty()) out += raised + "\n";
    out += head + word + (d.text.empty() ? raised : d.text);
    if (!d.code.empty() && !d.text.empty()) out += fmt::format(" [{}]", d.code);
    out += '\n';
    if (options.excerpts) {
        bool primary_labelled = std::any_of(d.labels.begin(), d.labels.end(), [&](const Label& l) { return l.span == d.span; });
        if (!primary_labelled) excerpt(out, d.span, "", files, true, options);
        for (const Label& l : d.labels) excerpt(out, l.span, l.text, files, l.span == d.span, options);
    }
    if (!d.help.empty()) out += "help: " + d.help + "\n";
    return out;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
    auto distance = [](std::string_view a, std::string_view b) {
        // Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost 1.
        std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
        for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
        for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
        for (size_t i = 1; i <= a.size(); ++i)
            for (size_t j = 1; j <= b.size(); ++j) {
                d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
                if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
            }
        return d[a.size()][b.size()];
    };
    std::string best;
    size_t best_distance = std::max<size_t>(1, name.size() / 3) + 1;
    for (const std::string& c : candidates) {
        size_t dist = distance(name, c);
        if (dist < best_distance) {
            best_distance = dist;
            best = c;
        }
    }
    return best;
}

}  // namespace sifr
