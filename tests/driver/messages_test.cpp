// Every row of the tables of messages stands in the output that some test expects: nobody can word a message that nobody has read.

#include <algorithm>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "compiler/driver/messages.h"
#include "compiler/frontend/syntax/messages.h"
#include "compiler/frontend/torch/messages.h"
#include "ir/analysis/messages.h"
#include "ir/text/messages.h"
#include "tests/support/golden.h"

namespace sifr::test {
namespace {

namespace fs = std::filesystem;

/// The lines of all files below tests/ that are no code.
std::vector<std::string> expected_lines() {
    std::set<std::string> lines;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(SIFR_TEST_DIR)) {
        const fs::path suffix = entry.path().extension();
        if (!entry.is_regular_file() || suffix == ".cpp" || suffix == ".h" || suffix == ".py") continue;
        std::istringstream text(read_file(entry.path()));
        for (std::string line; std::getline(text, line);) lines.insert(line);
    }
    return {lines.begin(), lines.end()};
}

/// What stands between the `{}` of a format, with `{{` and `}}` as single braces.
std::vector<std::string> fixed_parts(std::string_view format) {
    std::vector<std::string> parts(1);
    for (size_t i = 0; i < format.size(); ++i) {
        const char c = format[i];
        if ((c == '{' || c == '}') && i + 1 < format.size() && format[i + 1] == c) {
            parts.back() += c;
            ++i;
        } else if (c == '{') {
            i = format.find('}', i);
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

bool occurs_in(const std::string& line, const std::vector<std::string>& parts) {
    size_t at = 0;
    for (const std::string& part : parts) {
        at = line.find(part, at);
        if (at == std::string::npos) return false;
        at += part.size();
    }
    return true;
}

template <size_t size>
void expect_seen(const Message* const (&messages)[size], const std::vector<std::string>& lines) {
    for (const Message* message : messages) {
        const std::vector<std::string> parts = fixed_parts(message->text);
        EXPECT_TRUE(std::ranges::any_of(lines, [&](const std::string& line) { return occurs_in(line, parts); }))
            << "no test expects '" << message->name << "': " << message->text;
    }
}

TEST(Messages, EachIsExpectedByATest) {
    const std::vector<std::string> lines = expected_lines();
    expect_seen(syntax::messages::all_messages, lines);
    expect_seen(torch_messages::all_messages, lines);
    expect_seen(driver::all_messages, lines);
    expect_seen(analysis_messages::all_messages, lines);
    expect_seen(text_messages::all_messages, lines);
}

}  // namespace
}  // namespace sifr::test
