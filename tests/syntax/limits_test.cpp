#include <gtest/gtest.h>

#include "compiler/frontend/syntax/lexer.h"
#include "compiler/frontend/syntax/unicode.h"
#include "tests/syntax/parse.h"

namespace sifr::syntax {
namespace {

using namespace std::string_literals;

std::string repeated(const std::string& text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
}

TEST(SyntaxLimits, DeepNestingIsAnErrorAndNoOverflow) {
    const std::string too_deep = "t.py:1:";
    for (const std::string& source : {
             "x = " + repeated("-", 100000) + "1\n",
             "x = " + repeated("not ", 100000) + "1\n",
             "x = " + repeated("lambda: ", 100000) + "1\n",
             "x = " + repeated("a if b else ", 100000) + "1\n",
             "x = 1" + repeated(" + 1", 100000) + "\n",
             "x = 1" + repeated(" ** 1", 100000) + "\n",
             "x = a" + repeated(".b", 100000) + "\n",
             "x = a" + repeated("()", 100000) + "\n",
             "x = a" + repeated("[0]", 100000) + "\n",
             "x = " + repeated("(", 150) + "1" + repeated(repeated(" + 1", 300) + ")", 150) + "\n",
         }) {
        std::string code;
        error_of(source, &code, false);
        EXPECT_EQ(code, "nested-too-deeply") << source.substr(0, 20);
    }
    std::string code;
    error_of("x = " + repeated("(", 100000) + "\n", &code, false);
    EXPECT_EQ(code, "too-many-brackets");
}

TEST(SyntaxLimits, WhatIsWideIsNotDeep) {
    for (const std::string& source : {
             "x = a" + repeated(" < a", 50000) + "\n",
             "x = a" + repeated(" or a", 50000) + "\n",
             "x = [" + repeated("a, ", 50000) + "]\n",
             "x" + repeated(" = x", 50000) + "\n",
             "x = 1" + repeated(" + 1", 900) + "\n",
             repeated("@d\n", 5000) + "def f(): pass\n",
         })
        EXPECT_EQ(error_of(source, nullptr, false), "accepted\n") << source.substr(0, 20);
}

TEST(SyntaxLimits, TheHeightOfATreeCountsItsLevels) {
    Parsed p = parse("a + f(b, [c])\n");
    const Expr& e = *as<ExprStmt>(*p.module->body[0]).value;
    EXPECT_EQ(e.height, 4);  // + · call · list · c
}

TEST(SyntaxNumbers, IntegersOfAnySizeBecomeDecimal) {
    EXPECT_EQ(tree_of("9223372036854775807"), "(Int 9223372036854775807)");
    EXPECT_EQ(tree_of("9223372036854775808"), "(Int 9223372036854775808)");
    EXPECT_EQ(tree_of("0xFFFF_FFFF_FFFF_FFFF_FFFF"), "(Int 1208925819614629174706175)");
    EXPECT_EQ(tree_of("0o7777777777777777777777777"), "(Int 37778931862957161709567)");
    EXPECT_EQ(tree_of("0b1" + std::string(70, '0')), "(Int 1180591620717411303424)");
    EXPECT_EQ(tree_of("00_0"), "(Int 0)");
    Parsed p = parse("9223372036854775807; 9223372036854775808\n");
    auto value = [&](size_t i) { return as<Constant>(*as<ExprStmt>(*p.module->body[i]).value).fits_int64; };
    EXPECT_TRUE(value(0));
    EXPECT_FALSE(value(1));
}

TEST(SyntaxNumbers, FloatsRoundAndOverflowAsInPython) {
    EXPECT_EQ(tree_of("1e400"), "(Float inf)");
    EXPECT_EQ(tree_of("1e-400"), "(Float 0)");
    EXPECT_EQ(tree_of("5e-324"), "(Float 5e-324)");
    EXPECT_EQ(tree_of("1_000.000_1e1_0"), "(Float 10000001000000)");
    EXPECT_EQ(tree_of("0777.5"), "(Float 777.5)");
    EXPECT_EQ(tree_of("08j"), "(Imaginary 8)");
    EXPECT_EQ(tree_of(".5"), "(Float 0.5)");
    EXPECT_EQ(tree_of("1if 1else 2"), "(IfExp (Int 1) (Int 1) (Int 2))");
}

TEST(SyntaxStrings, EscapesAndLineEndsBecomeCharacters) {
    EXPECT_EQ(tree_of(R"('\a\b\f\n\r\t\v\\\'\"')"), R"((Str "\x07\x08\x0c\n\x0d\x09\x0b\\'\""))");
    EXPECT_EQ(tree_of(R"('\x41\u00e9\U0001F600\101\N{GREEK SMALL LETTER PI}\N{greek small letter mu}')"), "(Str \"Aé😀Aπμ\")");
    EXPECT_EQ(tree_of(R"('\d\ä')"), "(Str \"\\\\d\\\\ä\")");
    EXPECT_EQ(tree_of(R"(r'\n' "\n")"), R"((Str "\\n\n"))");
    EXPECT_EQ(tree_of(R"(b'\xff\u0041\377')"), R"((Bytes "\xff\\u0041\xff"))");
    EXPECT_EQ(tree_of("'a\\\nb'"), "(Str \"ab\")");
    EXPECT_EQ(tree_of("'''a\r\nb\rc'''"), "(Str \"a\\nb\\nc\")");
    EXPECT_EQ(tree_of("'\\ud800'"), "(Str \"\xED\xA0\x80\")");
}

TEST(SyntaxText, AByteOrderMarkIsSkipped) {
    Parsed p = parse("\xEF\xBB\xBFx = 1\r\n");
    EXPECT_EQ(dump(*p.module, {.spans = true}), "(Assign@1:1-1:6 [(Name@1:1-1:2 x store)] (Int@1:5-1:6 1))\n");
}

TEST(SyntaxText, NothingIsAnEmptyModule) {
    for (const char* source : {"", "\n", "# comment", "\n\n  # comment\n\n", "\f\n", "   "}) EXPECT_TRUE(parse(source).module->body.empty()) << source;
}

TEST(SyntaxText, ALastLineNeedsNoLineBreak) {
    EXPECT_EQ(dump(*parse("if x:\n  y").module), dump(*parse("if x:\n  y\n").module));
}

TEST(SyntaxText, IndentationFollowsTabsFormFeedsAndContinuedLines) {
    EXPECT_EQ(error_of("if x:\n\ty\n\tz\n"), "accepted\n");
    EXPECT_EQ(error_of("if x:\n    y\n\fz\n"), "accepted\n");
    EXPECT_EQ(error_of("if x:\n    y\n    \\\n  z\n"), "accepted\n");
}

TEST(SyntaxUnicode, FaultsOfUtf8AreFoundAtTheirByte) {
    EXPECT_FALSE(find_utf8_fault("aé€😀 and eight more").has_value());
    EXPECT_EQ(find_utf8_fault("12345678\xC0\x80")->offset, 8u);                  // overlong
    EXPECT_EQ(find_utf8_fault("\xED\xA0\x80")->offset, 0u);                      // a surrogate
    EXPECT_EQ(find_utf8_fault("\xF4\x90\x80\x80")->offset, 0u);                  // above U+10FFFF
    EXPECT_STREQ(find_utf8_fault("ab\xE2\x82")->reason, "unexpected end of data");
}

TEST(SyntaxUnicode, IdentifiersMayUseLettersOfAllScripts) {
    EXPECT_EQ(tree_of("größe + переменная + 変数 + π2"),
              "(BinOp + (BinOp + (BinOp + (Name größe) (Name переменная)) (Name 変数)) (Name π2))");
}

}  // namespace
}  // namespace sifr::syntax
