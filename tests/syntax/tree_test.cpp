#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/syntax/parse.h"

namespace sifr::syntax {
namespace {

TEST(SyntaxTree, OfEachConstructIsWhatTheGoldenFilesSay) {
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(SIFR_TEST_DIR) / "syntax" / "trees")) {
        if (entry.path().extension() != ".py") continue;
        ++files;
        std::string source = test::read_file(entry.path());
        bool spans = source.rfind("# spans", 0) == 0;
        Parsed p = parse(source);
        std::filesystem::path golden = entry.path();
        EXPECT_TRUE(test::matches_golden(golden.replace_extension(".tree"), dump(*p.module, {.spans = spans}))) << entry.path();
    }
    EXPECT_GE(files, 10u);
}

TEST(SyntaxTree, SoftKeywordsAreNamesElsewhere) {
    EXPECT_EQ(tree_of("match(x)"), "(Call (Name match) (Name x))");
    EXPECT_EQ(tree_of("match[x]"), "(Subscript (Name match) (Name x))");
    EXPECT_EQ(tree_of("match -x"), "(BinOp - (Name match) (Name x))");
    EXPECT_EQ(tree_of("match not in case"), "(Compare (Name match) not in (Name case))");
    EXPECT_EQ(dump(*parse("match = case = _ = 1\n").module), "(Assign [(Name match store) (Name case store) (Name _ store)] (Int 1))\n");
    EXPECT_EQ(dump(*parse("match: int\n").module), "(AnnAssign simple (Name match store) (Name int) _)\n");
    EXPECT_EQ(dump(*parse("match (x):\n case _: pass\n").module), "(Match (Name x)\n  (case (MatchAs _)\n    (Pass)))\n");
}

TEST(SyntaxTree, DocstringsAreFound) {
    Parsed p = parse("'''Doc.'''\ndef f():\n    'text'\n    return 1\ndef g(): return 'text'\n");
    ASSERT_NE(docstring(p.module->body), nullptr);
    EXPECT_EQ(docstring(p.module->body)->text, "Doc.");
    EXPECT_EQ(docstring(as<FunctionDef>(*p.module->body[1]).body)->text, "text");
    EXPECT_EQ(docstring(as<FunctionDef>(*p.module->body[2]).body), nullptr);
}

TEST(SyntaxTree, ExpressionsOfFormatStringsKnowTheirPlace) {
    Parsed p = parse("x = (f'a'\n     f'{b + c:>{w}}')\n");
    EXPECT_NE(dump(*p.module, {.spans = true}).find("(BinOp@2:9-2:14 + (Name@2:9-2:10 b) (Name@2:13-2:14 c))"), std::string::npos);
    EXPECT_NE(dump(*p.module, {.spans = true}).find("(Name@2:17-2:18 w)"), std::string::npos);
}

TEST(SyntaxTree, ANodeOfAnotherKindIsNotTakenForOne) {
    Parsed p = parse("x\n");
    EXPECT_THROW((void)as<Assign>(*p.module->body[0]), InternalError);
    EXPECT_EQ(get_if<Assign>(p.module->body[0]), nullptr);
}

}  // namespace
}  // namespace sifr::syntax
