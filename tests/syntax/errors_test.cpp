#include <algorithm>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "compiler/frontend/syntax/messages.h"
#include "tests/support/golden.h"
#include "tests/syntax/parse.h"

namespace sifr::syntax {
namespace {

using namespace std::string_literals;

const std::filesystem::path folder = std::filesystem::path(SIFR_TEST_DIR) / "syntax" / "errors";
constexpr std::string_view source_mark = "--- source\n", error_mark = "--- error\n";

/// The sources of a file of cases: each stands between two marks, and what is said about it stands behind the second.
std::vector<std::string> sources_in(const std::string& text) {
    std::vector<std::string> out;
    for (size_t at = text.find(source_mark); at != std::string::npos; at = text.find(source_mark, at)) {
        at += source_mark.size();
        size_t end = text.find(error_mark, at);
        // The line break in front of the mark is not the source's, so that a source may end without one.
        out.push_back(text.substr(at, end - at - 1));
        at = end;
    }
    return out;
}

std::vector<std::filesystem::path> case_files() {
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

/// Sources that do not stand well in a text file: odd bytes, long ones.
std::vector<std::string> odd_sources() {
    return {
        "x = 1\ny = '\xFF'\n",
        "x = 1\0y"s,
        "# coding: latin-1\nx = '\xE9'\n",
        "x = \x01 1\n",
        "x =\xC2\xA0 1\n",
        std::string((64 << 20) + 1, '\n'),
        std::string(300, '(') + "1" + std::string(300, ')') + "\n",
        "x = " + std::string(5000, '9') + "\n",
        "x = 0x" + std::string(50000, 'f') + "\n",
        "x = " + std::string(5000, '-') + "1\n",
        "f'{" + std::string(300, '(') + "}'\n",
        [] {
            std::string s;
            for (int i = 0; i < 150; ++i) s += std::string(static_cast<size_t>(i), ' ') + "if x:\n";
            return s;
        }(),
        [] {
            std::string s = "if x: pass\n";
            for (int i = 0; i < 2000; ++i) s += "elif x: pass\n";
            return s;
        }(),
    };
}

TEST(SyntaxErrors, SayWhatTheGoldenFilesSay) {
    for (const std::filesystem::path& path : case_files()) {
        std::string said;
        for (const std::string& source : sources_in(test::read_file(path))) {
            std::string error = error_of(source);
            EXPECT_NE(error, "accepted\n") << path << ":\n" << source;
            said += std::string(source_mark) + source + "\n" + std::string(error_mark) + error;
        }
        EXPECT_TRUE(test::matches_golden(path, said));
    }
}

TEST(SyntaxErrors, EveryMessageIsProvoked) {
    std::set<std::string> seen;
    auto provoke = [&](const std::string& source) {
        std::string code;
        error_of(source, &code, false);
        seen.insert(code);
    };
    for (const std::filesystem::path& path : case_files())
        for (const std::string& source : sources_in(test::read_file(path))) provoke(source);
    for (const std::string& source : odd_sources()) provoke(source);
    for (const Message* m : messages::all_messages) EXPECT_TRUE(seen.count(m->name)) << m->name;
}

TEST(SyntaxErrors, OddBytesAreNamedWithTheirPlace) {
    EXPECT_EQ(error_of("x = 1\ny = '\xFF'\n", nullptr, false),
              "t.py:2:6: error: SyntaxError: (unicode error) 'utf-8' codec can't decode byte 0xff in position 11: invalid start byte\n");
    EXPECT_EQ(error_of("x = 1\ny\xE2\x82\n", nullptr, false),
              "t.py:2:2: error: SyntaxError: (unicode error) 'utf-8' codec can't decode byte 0xe2 in position 7: invalid continuation byte\n");
    EXPECT_EQ(error_of("x = 1\ny = \0"s, nullptr, false), "t.py:2:5: error: SyntaxError: source code cannot contain null bytes\n");
    EXPECT_EQ(error_of("x =\xC2\xA0 1\n", nullptr, false), "t.py:1:4: error: SyntaxError: invalid non-printable character U+00A0\n");
}

TEST(SyntaxErrors, CarriageReturnsEndLinesInPlaces) {
    EXPECT_EQ(error_of("x = 1\r\ny = 2 3\r\n", nullptr, false), "t.py:2:7: error: SyntaxError: invalid syntax\n");
    EXPECT_EQ(error_of("x = 1\ry = 2 3\r", nullptr, false), "t.py:2:7: error: SyntaxError: invalid syntax\n");
}

TEST(SyntaxErrors, ColumnsCountCharactersNotBytes) {
    EXPECT_EQ(error_of("x = 'äöü' 1\n", nullptr, false), "t.py:1:11: error: SyntaxError: invalid syntax\n");
}

}  // namespace
}  // namespace sifr::syntax
