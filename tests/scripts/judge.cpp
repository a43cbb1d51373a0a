#include "tests/scripts/judge.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

namespace sifr::test {

namespace {

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines(1);
    for (char c : text) {
        if (c == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += c;
        }
    }
    return lines;
}

std::string_view without_last_breaks(std::string_view text) {
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    return text;
}

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

// White space of any length becomes one blank, and none at the ends.
std::string folded(std::string_view text) {
    std::string result;
    for (char c : trimmed(text)) {
        if (!is_space(c)) {
            result += c;
        } else if (result.back() != ' ') {
            result += ' ';
        }
    }
    return result;
}

// Takes `:12` off the end of a text, if it ends so.
bool drop_number(std::string_view& text) {
    std::string_view rest = text;
    while (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest.back()))) rest.remove_suffix(1);
    if (rest.size() == text.size() || rest.empty() || rest.back() != ':') return false;
    text = rest.substr(0, rest.size() - 1);
    return true;
}

// True for what may stand before `error: `: nothing, or `file.py:5: `, or `file.py:5:1: `, and then perhaps `fatal `.
bool is_place(std::string_view text) {
    if (text.ends_with("fatal ")) text.remove_suffix(6);
    if (text.empty()) return true;
    while (text.ends_with(' ')) text.remove_suffix(1);
    if (!text.ends_with(':')) return false;
    text.remove_suffix(1);
    return drop_number(text) && std::none_of(text.begin(), text.end(), is_space);
}

// What stands behind `file.py:5:1: error: `; `found` tells if the line begins so.
std::string_view behind_error(std::string_view line, bool* found = nullptr) {
    for (size_t at = line.find("error: "); at != std::string_view::npos; at = line.find("error: ", at + 1)) {
        if (!is_place(line.substr(0, at))) continue;
        if (found != nullptr) *found = true;
        return line.substr(at + 7);
    }
    if (found != nullptr) *found = false;
    return line;
}

bool begins_with_error(std::string_view line) {
    bool found = false;
    behind_error(line, &found);
    return found;
}

bool has_message(const std::vector<std::string>& lines, const std::vector<std::string>& want) {
    for (size_t i = 0; i + want.size() <= lines.size(); ++i) {
        if (behind_error(lines[i]) != want[0]) continue;
        bool rest = true;
        for (size_t k = 1; k < want.size() && rest; ++k) rest = trimmed(lines[i + k]) == trimmed(want[k]);
        if (rest) return true;
    }
    return false;
}

bool ends_with(const std::vector<std::string>& lines, const std::vector<std::string>& want) {
    return lines.size() >= want.size() && std::equal(want.rbegin(), want.rend(), lines.rbegin());
}

std::string first_error(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        std::string lower = line;
        std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (lower.find("error") != std::string::npos) return line.substr(0, 160);
    }
    return lines.back().substr(0, 160);
}

std::string first_difference(const std::string& want, const std::string& got) {
    if (want == got) return {};
    std::vector<std::string> a = lines_of(want), b = lines_of(got);
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        std::string x = i < a.size() ? fmt::format("'{}'", a[i]) : "nothing", y = i < b.size() ? fmt::format("'{}'", b[i]) : "nothing";
        if (x != y) return fmt::format("line {}: want {}, got {}", i + 1, x, y);
    }
    return {};
}

Judgement failure(const Program& program, const CommandResult& got, std::string why) {
    Verdict verdict = Verdict::Wrong;
    if (got.timed_out || got.signal != 0 || got.exit_code >= 64) {
        verdict = Verdict::Crash;
    } else if (got.exit_code == 1 && got.err.find("not supported") != std::string::npos && program.out.starts_with(got.out)) {
        verdict = Verdict::Unsupported;
    }
    return {verdict, std::move(why)};
}

// A program that raises: passes as SameRun or SameCompile, or `why` says what is wrong.
Verdict judge_raise(const Program& program, const CommandResult& got, const std::vector<std::string>& lines, std::string& why) {
    std::vector<std::string> want = lines_of(without_last_breaks(*program.error));
    bool said = has_message(lines, want);
    if (got.exited(0)) {
        why = "did not raise: " + *program.error;
    } else if (got.exited(1) && ends_with(lines, want) && got.out == program.out &&
               std::none_of(lines.begin(), lines.end(), begins_with_error)) {
        return Verdict::SameRun;
    } else if (got.exited(1) && said && program.out.starts_with(got.out)) {
        return Verdict::SameCompile;
    } else if (!said) {
        why = fmt::format("message: want '{}', got '{}'", want[0], first_error(lines));
    } else if (!got.exited(1)) {
        why = got.how_it_ended() + ", want exit status 1";
    } else {
        why = first_difference(program.out, got.out);
        if (why.empty()) why = "stderr differs";
    }
    return Verdict::Wrong;
}

}  // namespace

const char* name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::Same: return "same";
        case Verdict::SameRun: return "same-run";
        case Verdict::SameCompile: return "same-compile";
        case Verdict::Unsupported: return "unsupported";
        case Verdict::Crash: return "crash";
        case Verdict::Wrong: return "wrong";
    }
    return "";
}

Judgement judge(const Program& program, const CommandResult& got) {
    if (got.timed_out) return failure(program, got, "timeout");
    std::vector<std::string> lines = lines_of(without_last_breaks(got.err));
    Verdict verdict = Verdict::Same;
    if (program.error.has_value()) {
        std::string why;
        verdict = judge_raise(program, got, lines, why);
        if (!passes(verdict)) return failure(program, got, why);
        if (verdict == Verdict::SameCompile) return {verdict, ""};  // refused before it could warn
    } else {
        if (!got.exited(0)) return failure(program, got, fmt::format("{}: {}", got.how_it_ended(), first_error(lines)));
        std::string why = first_difference(program.out, got.out);
        if (!why.empty()) return failure(program, got, why);
    }
    std::string said = folded(got.err);
    for (const std::string& warning : program.warnings) {
        std::string want = folded(warning);
        if (said.find(want) == std::string::npos) return failure(program, got, "missing warning: " + want.substr(0, 100));
    }
    return {verdict, ""};
}

}  // namespace sifr::test
