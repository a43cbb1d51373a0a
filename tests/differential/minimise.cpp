// Delta debugging on statements: leave out a statement with all that is inside, or put a block's inside in its place, or make
// a number of passes smaller, as long as the program still differs.

#include <sstream>

#include "tests/differential/stages.h"

namespace sifr::test {

namespace {

using Lines = std::vector<std::string>;

size_t indent_of(const std::string& line) { return line.find_first_not_of(' '); }

std::string joined(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

/// Behind the statement that begins at `at`, with its block and the `else` and `except` that belong to it.
size_t end_of(const Lines& lines, size_t at) {
    size_t own = indent_of(lines[at]), end = at + 1;
    auto continues = [&](const std::string& line) {
        return indent_of(line) > own || (indent_of(line) == own && (line.compare(own, 5, "else:") == 0 || line.compare(own, 6, "except") == 0));
    };
    while (end < lines.size() && continues(lines[end])) ++end;
    return end;
}

/// What differs, without names and numbers: a smaller program must still show this kind of difference.
std::string kind_of(const std::string& difference) {
    std::string kind;
    for (char c : difference.substr(0, difference.find('\''))) {
        if (c < '0' || c > '9') kind += c;
    }
    return kind;
}

}  // namespace

std::string minimise(const std::string& text, const CompareOptions& options) {
    Lines lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    const std::string wanted = kind_of(compare_stages(text, options).difference);
    auto still = [&](const Lines& smaller) { return kind_of(compare_stages(joined(smaller), options).difference) == wanted; };

    for (bool changed = true; changed;) {
        changed = false;
        for (size_t at = lines.size(); at-- > 0;) {
            if (at >= lines.size()) continue;
            // Without the step of its counter a `while` would not end.
            if (lines[at].find("k") == indent_of(lines[at]) && lines[at].ends_with(" += 1")) continue;
            size_t end = end_of(lines, at);
            Lines without(lines.begin(), lines.begin() + static_cast<ptrdiff_t>(at));
            without.insert(without.end(), lines.begin() + static_cast<ptrdiff_t>(end), lines.end());
            if (still(without)) {
                lines = without;
                changed = true;
                continue;
            }
            if (end == at + 1) continue;
            // The inside alone, in place of the statement.
            Lines inside(lines.begin(), lines.begin() + static_cast<ptrdiff_t>(at));
            size_t own = indent_of(lines[at]);
            for (size_t k = at + 1; k < end && indent_of(lines[k]) > own; ++k) inside.push_back(lines[k].substr(4));
            inside.insert(inside.end(), lines.begin() + static_cast<ptrdiff_t>(end), lines.end());
            if (still(inside)) {
                lines = inside;
                changed = true;
            }
        }
    }
    return joined(lines);
}

}  // namespace sifr::test
