#include <filesystem>
#include <random>

#include "ir/base/diagnostic.h"
#include "ir/op/op_def.h"
#include "ir/text/text.h"
#include "tests/support/golden.h"

namespace sifr {
namespace {

namespace fs = std::filesystem;
const fs::path folder = fs::path(SIFR_TEST_DIR) / "ir";

std::vector<fs::path> files(const char* part) {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(folder / part))
        if (entry.path().extension() == ".sifr") out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

ParsedFunction parsed(const std::string& text) { return parse_function(SourceFile("test.sifr", text)); }

std::string error_of(const std::string& text) {
    SourceFiles sources;
    uint32_t file = sources.add("test.sifr", text);
    try {
        parse_function(sources.file(file));
    } catch (const CompileError& e) {
        return render(e.diagnostic, sources);
    }
    return {};
}

TEST(Text, GoldenFilesAreAsPrinted) {
    for (const fs::path& path : files("text")) {
        ParsedFunction f = parsed(test::read_file(path));
        EXPECT_TRUE(test::matches_golden(path, print(f.function, f.stage)));
    }
}

TEST(Text, PrintParsePrintIsTheIdentity) {
    for (const fs::path& path : files("text")) {
        ParsedFunction f = parsed(test::read_file(path));
        PrintOptions options;
        options.ledger = true;
        std::string once = print(f.function, f.stage, options);
        ParsedFunction again = parsed(once);
        EXPECT_EQ(print(again.function, again.stage, options), once) << path;
        Function compacted = compact(again.function);
        EXPECT_EQ(print(compacted, again.stage, options), once) << path;
    }
}

TEST(Text, MistakesAreReportedAtTheirPlace) {
    for (const fs::path& path : files("errors")) {
        std::string message = error_of(test::read_file(path));
        EXPECT_NE(message, "") << path << " was accepted";
        EXPECT_TRUE(test::matches_golden(fs::path(path).replace_extension(".err"), message));
    }
}

// Whatever is done to a text: it is read, or refused with a diagnostic.
TEST(Text, DamagedTextIsRefusedNotFatal) {
    std::mt19937 random(1);
    const std::string_view pieces[] = {"%x", "%i", "$x", "(", ")", "{", "}", "[", "]", ",", ":", "=", "<-", "+", "-", "*", "<", "0", "7", "-1", "99999999999999999999",
                                       "none", "true", "f32", "f32[2]", "i64", "opt(", "in", "leaf", "yield", "dim=5", "dim=[0,0]", "for", "while", "if", "else", "group \"a\"",
                                       "backward", "wrt", "extract", "insert", "sum", "slice", "\"", "\\", "@3:1", "@", "#1", "clears", "0.5", "1e999", "\xff", "\n", "//"};
    size_t accepted = 0, refused = 0;
    for (const fs::path& path : files("text")) {
        std::string text = test::read_file(path);
        auto pick = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
        for (int round = 0; round < 800; ++round) {
            std::string damaged = text;
            for (size_t k = pick(3) + 1; k > 0; --k) {
                size_t at = pick(damaged.size()), length = std::min(pick(6) + 1, damaged.size() - at);
                std::string_view piece = pieces[pick(std::size(pieces))];
                switch (pick(4)) {
                    case 0: damaged.erase(at, length); break;
                    case 1: damaged.insert(at, piece); break;
                    case 2: damaged.replace(at, length, piece); break;
                    default: damaged.resize(at); break;
                }
                if (damaged.empty()) damaged = " ";
            }
            try {
                ParsedFunction f = parsed(damaged);
                ++accepted;
                std::string once = print(f.function, f.stage);
                ParsedFunction again = parsed(once);
                ASSERT_EQ(print(again.function, again.stage), once) << damaged;
            } catch (const CompileError&) {
                ++refused;
            } catch (const NotSupported&) {
                ++refused;
            } catch (const std::exception& e) {
                FAIL() << e.what() << "\n" << damaged;
            }
        }
    }
    EXPECT_GT(accepted, 30u);
    EXPECT_GT(refused, 500u);
}

TEST(Text, NamesAreMadeUniqueAndReadBack) {
    Function f;
    ValueId a = f.add_parameter(f.body, Type::i64(), "x");
    ValueId b = f.add_parameter(f.body, Type::i64(), "x");
    ValueId c = f.add_parameter(f.body, Type::i64());
    ValueId d = f.add_parameter(f.body, Type::i64(), "7");
    ValueId e = f.add_parameter(f.body, Type::i64(), "a b\xc3\xa4");
    f[f.body].results = {a, b, c, d, e};
    std::string text = print(f, Stage::Functional);
    EXPECT_EQ(text, "functional func @main(%x: i64, %x.1: i64, %0: i64, %1: i64, %a_b__: i64) {\n  yield %x, %x.1, %0, %1, %a_b__\n}\n");
    ParsedFunction again = parsed(text);
    EXPECT_EQ(print(again.function, again.stage), text);
}

TEST(Text, LocationsAndCommentsCanBeChosen) {
    ParsedFunction f = parsed("functional func @main(%x: f32[2]) {\n  %y = neg %x : f32[2] @3:1,5:2  // derived\n}\n");
    ASSERT_EQ(f.function.insts[0].location.size(), 2u);
    EXPECT_EQ(f.function.insts[0].location[1].line, 5u);
    PrintOptions options;
    options.locations = false;
    options.comment = [](InstId) { return std::string("two\nlines"); };
    EXPECT_EQ(print(f.function, f.stage, options), "functional func @main(%x: f32[2]) {\n  %y = neg %x                           : f32[2]  // two lines\n}\n");
}

}  // namespace
}  // namespace sifr
