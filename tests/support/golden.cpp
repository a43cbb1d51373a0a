#include "tests/support/golden.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sifr::test {

namespace {

constexpr size_t context_lines = 3;
constexpr size_t largest_table = 16'000'000;  // entries; texts that differ in more are shown as wholly replaced

enum class Edit : char { Keep = ' ', Remove = '-', Add = '+' };

struct Line {
    Edit edit;
    std::string_view text;  // with its line break, if it has one
};

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

// A shortest edit script: the longest common subsequence of what lies between the common start and the common end, by the usual table
// of the lengths for all pairs of suffixes.
std::vector<Line> edit_script(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    size_t start = 0, a_end = a.size(), b_end = b.size();
    while (start < a_end && start < b_end && a[start] == b[start]) ++start;
    while (a_end > start && b_end > start && a[a_end - 1] == b[b_end - 1]) --a_end, --b_end;

    size_t n = a_end - start, m = b_end - start;
    bool with_table = n * m <= largest_table;
    std::vector<uint32_t> common(with_table ? (n + 1) * (m + 1) : 0);
    auto at = [&](size_t i, size_t j) -> uint32_t& { return common[i * (m + 1) + j]; };
    if (with_table) {
        for (size_t i = n; i-- > 0;) {
            for (size_t j = m; j-- > 0;)
                at(i, j) = a[start + i] == b[start + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
        }
    }

    std::vector<Line> script;
    for (size_t i = 0; i < start; ++i) script.push_back({Edit::Keep, a[i]});
    size_t i = 0, j = 0;
    while (i < n || j < m) {
        if (with_table && i < n && j < m && a[start + i] == b[start + j]) {
            script.push_back({Edit::Keep, a[start + i]});
            ++i, ++j;
        } else if (i < n && (j == m || !with_table || at(i + 1, j) >= at(i, j + 1))) {
            script.push_back({Edit::Remove, a[start + i++]});
        } else {
            script.push_back({Edit::Add, b[start + j++]});
        }
    }
    for (size_t k = a_end; k < a.size(); ++k) script.push_back({Edit::Keep, a[k]});
    return script;
}

}  // namespace

bool updating() {
    const char* value = std::getenv("SIFR_UPDATE");
    return value != nullptr && std::string_view(value) == "1";
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(fmt::format("cannot read {}", path.string()));
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

void write_file(const std::filesystem::path& path, std::string_view text) {
    if (std::filesystem::exists(path) && read_file(path) == text) return;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    if (!file.flush()) throw std::runtime_error(fmt::format("cannot write {}", path.string()));
}

std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_name, std::string_view after_name) {
    if (before == after) return {};
    std::vector<Line> script = edit_script(lines_of(before), lines_of(after));
    std::string out = fmt::format("--- {}\n+++ {}\n", before_name, after_name);

    // A hunk is a run of changes whose neighbours are at most two contexts apart, with a context on either side.
    size_t a_line = 1, b_line = 1, next = 0;  // `next`: the first line of the script that no hunk has passed yet
    auto advance = [&](const Line& line) {
        a_line += line.edit != Edit::Add;
        b_line += line.edit != Edit::Remove;
    };
    for (size_t first = 0; first < script.size(); ++first) {
        if (script[first].edit == Edit::Keep) continue;
        size_t last = first;
        for (size_t i = first + 1; i < script.size() && i - last <= 2 * context_lines; ++i) {
            if (script[i].edit != Edit::Keep) last = i;
        }
        size_t begin = std::max(next, first >= context_lines ? first - context_lines : 0);
        size_t end = std::min(script.size(), last + 1 + context_lines);
        for (; next < begin; ++next) advance(script[next]);
        size_t a_start = a_line, b_start = b_line;
        std::string body;
        for (; next < end; ++next) {
            advance(script[next]);
            body += static_cast<char>(script[next].edit);
            body += script[next].text;
            if (script[next].text.back() != '\n') body += "\n\\ No newline at end of file\n";
        }
        out += fmt::format("@@ -{},{} +{},{} @@\n{}", a_start, a_line - a_start, b_start, b_line - b_start, body);
        first = end - 1;
    }
    return out;
}

::testing::AssertionResult matches_golden(const std::filesystem::path& golden, std::string_view text) {
    if (updating()) {
        write_file(golden, text);
        return ::testing::AssertionSuccess();
    }
    std::string want = std::filesystem::exists(golden) ? read_file(golden) : std::string();
    if (want == text && std::filesystem::exists(golden)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << unified_diff(want, text, golden.string(), "what came out")
                                         << "To accept what came out, run the test again with SIFR_UPDATE=1.\n";
}

}  // namespace sifr::test
