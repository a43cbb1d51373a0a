#include <chrono>

#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/process.h"

namespace sifr::test {
namespace {

CommandResult shell(const std::string& script, double timeout_s = 10) {
    return run_command({.argv = {"sh", "-c", script}, .timeout_s = timeout_s});
}

TEST(RunCommand, KeepsTheTwoStreamsAndTheExitStatusApart) {
    CommandResult r = shell("echo to-out; echo to-err >&2; exit 3");
    EXPECT_TRUE(r.exited(3));
    EXPECT_EQ(r.out, "to-out\n");
    EXPECT_EQ(r.err, "to-err\n");
}

TEST(RunCommand, ReadsMoreThanAPipeHolds) {
    CommandResult r = shell("head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero");
    EXPECT_TRUE(r.exited(0));
    EXPECT_EQ(r.out.size(), 300000U);
    EXPECT_EQ(r.err.size(), 300000U);
}

TEST(RunCommand, NamesTheSignal) {
    CommandResult r = shell("kill -SEGV $$");
    EXPECT_EQ(r.signal, 11);
    EXPECT_EQ(r.how_it_ended(), "signal 11");
}

TEST(RunCommand, EndsAProgramAndItsChildrenAfterTheTimeout) {
    auto start = std::chrono::steady_clock::now();
    CommandResult r = shell("echo begun; sleep 30 & sleep 30", 0.2);
    EXPECT_TRUE(r.timed_out);
    EXPECT_EQ(r.out, "begun\n");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(RunCommand, EndsAProgramThatClosedItsOutputsAfterTheTimeout) { EXPECT_TRUE(shell("exec >&- 2>&-; sleep 30", 0.2).timed_out); }

TEST(RunCommand, TakesADirectoryAndVariables) {
    TempDir dir;
    CommandResult r =
        run_command({.argv = {"sh", "-c", "pwd; echo $COLOUR"}, .directory = dir.path(), .environment = {{"COLOUR", "grey"}}});
    EXPECT_EQ(r.out, std::filesystem::canonical(dir.path()).string() + "\ngrey\n");
}

TEST(RunCommand, SaysWhyAProgramCannotStart) {
    CommandResult r = run_command({.argv = {"no-such-program-anywhere"}});
    EXPECT_TRUE(r.exited(127));
    EXPECT_EQ(r.err, "no-such-program-anywhere: No such file or directory\n");
}

TEST(TempDir, IsGoneAfterwards) {
    std::filesystem::path path;
    {
        TempDir dir;
        path = dir.path();
        write_file(path / "deep" / "er.txt", "text");
        EXPECT_EQ(read_file(path / "deep" / "er.txt"), "text");
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(UnifiedDiff, IsEmptyForEqualTexts) { EXPECT_EQ(unified_diff("a\n", "a\n", "x", "y"), ""); }

TEST(UnifiedDiff, ShowsAChangedLineBetweenThreeLinesOfContext) {
    EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "x", "y"),
              "--- x\n+++ y\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, MakesTwoHunksOfDistantChanges) {
    EXPECT_EQ(unified_diff("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "1\n2\n3\n4\n5\n6\n7\nB\n", "x", "y"),
              "--- x\n+++ y\n@@ -1,4 +1,3 @@\n-a\n 1\n 2\n 3\n@@ -6,4 +5,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

TEST(UnifiedDiff, ShowsAMissingLineBreakAtTheEnd) {
    EXPECT_EQ(unified_diff("a\n", "a", "x", "y"), "--- x\n+++ y\n@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n");
}

TEST(MatchesGolden, TellsTheDifferenceAndHowToAcceptIt) {
    if (updating()) GTEST_SKIP() << "golden files are being written";
    TempDir dir;
    write_file(dir.path() / "g", "one\n");
    EXPECT_TRUE(matches_golden(dir.path() / "g", "one\n"));
    ::testing::AssertionResult different = matches_golden(dir.path() / "g", "two\n");
    EXPECT_FALSE(different);
    EXPECT_NE(std::string(different.message()).find("-one\n+two\n"), std::string::npos) << different.message();
    EXPECT_NE(std::string(different.message()).find("SIFR_UPDATE=1"), std::string::npos);
}

TEST(MatchesGolden, AMissingFileIsAMismatchEvenForNoText) {
    if (updating()) GTEST_SKIP() << "golden files are being written";
    TempDir dir;
    EXPECT_FALSE(matches_golden(dir.path() / "none", ""));
}

}  // namespace
}  // namespace sifr::test
