// The judge and the runner, tried on a shell script in place of sifr: it carries out the lines `#do COMMAND` of the "Python" file.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/scripts/runner.h"
#include "tests/support/golden.h"

namespace sifr::test {
namespace {

constexpr const char* fake_sifr = R"(#!/bin/sh
if [ "$1" = build ]; then
    echo '#!/bin/sh' > "$4"; sed -n 's/^#do //p' "$2" >> "$4"; chmod +x "$4"
else
    case "$2" in --dump-bits=*) echo "some bits" > "${2#*=}"; shift;; esac
    sed -n 's/^#do //p' "$2" > "$2.sh"; exec sh "$2.sh"
fi
)";

const Mode run_mode{.name = "run", .arguments = {"run"}, .timeout_s = 20};
const Mode exe_mode{.name = "exe", .arguments = {"build"}, .executable = true, .timeout_s = 20};

class Fake : public ::testing::Test {
protected:
    Fake() {
        write_file(sifr(), fake_sifr);
        std::filesystem::permissions(sifr(), std::filesystem::perms::owner_all);
    }
    std::filesystem::path sifr() const { return folder_.path() / "sifr"; }

    Judgement judged(const std::string& commands, const std::string& out, std::optional<std::string> error = {},
                     std::vector<std::string> warnings = {}, const Mode& mode = run_mode) {
        Program program{.id = "probe/p",
                        .area = "a",
                        .source = "#do " + commands + "\n",
                        .out = out,
                        .error = std::move(error),
                        .warnings = std::move(warnings)};
        return run_programs({program}, mode, sifr()).at(0).judgement;
    }
    Verdict verdict(const std::string& commands, const std::string& out, std::optional<std::string> error = {},
                    std::vector<std::string> warnings = {}) {
        return judged(commands, out, std::move(error), std::move(warnings)).verdict;
    }

private:
    TempDir folder_;
};

TEST_F(Fake, EqualOutputIsTheSame) { EXPECT_EQ(verdict("echo 1", "1\n"), Verdict::Same); }

TEST_F(Fake, AMissingLineBreakIsWrong) { EXPECT_EQ(judged("printf 1", "1\n").why, "line 2: want '', got nothing"); }

TEST_F(Fake, AnyOtherExitStatusIsWrong) { EXPECT_EQ(judged("echo 1; exit 3", "1\n").why, "exit status 3: "); }

TEST_F(Fake, ASignalATimeoutAndOurOwnBugAreCrashes) {
    EXPECT_EQ(verdict("kill -SEGV $$", ""), Verdict::Crash);
    Mode hasty = run_mode;
    hasty.timeout_s = 0.2;
    EXPECT_EQ(judged("sleep 20", "", {}, {}, hasty).verdict, Verdict::Crash);
    EXPECT_EQ(verdict("exit 70", ""), Verdict::Crash);
}

TEST_F(Fake, ARefusalThatSaysNotSupportedIsUnsupportedUnlessWrongOutputCameBefore) {
    std::string refuse = "echo 'a.py:1:1: error: not supported: yield' >&2; exit 1";
    EXPECT_EQ(verdict("echo 1; " + refuse, "1\n2\n"), Verdict::Unsupported);
    EXPECT_EQ(verdict("echo 7; " + refuse, "1\n2\n"), Verdict::Wrong);
}

TEST_F(Fake, ARaiseAtTheEndOfStderrAfterAllOutputIsSameRun) {
    EXPECT_EQ(verdict("echo 1; echo 'ValueError: bad' >&2; exit 1", "1\n", "ValueError: bad"), Verdict::SameRun);
    EXPECT_EQ(verdict("echo 1; printf 'E: a\\nb\\n' >&2; exit 1", "1\n", "E: a\nb"), Verdict::SameRun);
}

TEST_F(Fake, ARefusalWithTheMessageIsSameCompileIfTheOutputIsAPrefix) {
    std::string refuse = "printf 'a.py:3:5: error: ValueError: bad\\n 3 | f()\\n' >&2; exit 1";
    EXPECT_EQ(verdict(refuse, "1\n", "ValueError: bad"), Verdict::SameCompile);
    EXPECT_EQ(verdict("echo 2; " + refuse, "1\n", "ValueError: bad"), Verdict::Wrong);
    EXPECT_EQ(verdict("printf 'some words error: ValueError: bad\\n' >&2; exit 1", "", "ValueError: bad"), Verdict::Wrong);
}

TEST_F(Fake, ARaiseMustHaveTheTextAndExitStatusOne) {
    EXPECT_EQ(judged("echo 'ValueError: worse' >&2; exit 1", "", "ValueError: bad").why,
              "message: want 'ValueError: bad', got 'ValueError: worse'");
    EXPECT_EQ(judged("echo 'ValueError: bad' >&2; exit 2", "", "ValueError: bad").why, "exit status 2, want exit status 1");
    EXPECT_EQ(judged("true", "", "ValueError: bad").why, "did not raise: ValueError: bad");
}

TEST_F(Fake, EachWarningMustOccurWithWhiteSpaceFolded) {
    EXPECT_EQ(verdict("printf 'a.py:1: UserWarning: two\\n   lines\\nmore' >&2", "", {}, {"UserWarning: two lines"}), Verdict::Same);
    EXPECT_EQ(judged("true", "", {}, {"UserWarning: w"}).why, "missing warning: UserWarning: w");
}

TEST_F(Fake, AnExecutableIsBuiltAndRun) {
    EXPECT_EQ(judged("echo 1", "1\n", {}, {}, exe_mode).verdict, Verdict::Same);
    EXPECT_EQ(judged("echo 1", "2\n", {}, {}, exe_mode).why, "line 1: want '2', got '1'");
}

TEST_F(Fake, OutcomesComeInTheOrderOfThePrograms) {
    std::vector<Program> programs;
    for (int i = 0; i < 20; ++i) {
        std::string n = std::to_string(i);
        programs.push_back({.id = "probe/p" + n,
                            .area = i < 5 ? "low" : "high",
                            .path = {},
                            .source = "#do echo " + n + "\n",
                            .out = n + "\n",
                            .error = {},
                            .warnings = {}});
    }
    programs[7].out = "eight\n";
    std::vector<Outcome> outcomes = run_programs(programs, run_mode, sifr());
    for (size_t i = 0; i < programs.size(); ++i) EXPECT_EQ(outcomes[i].result.out, std::to_string(i) + "\n");
    EXPECT_EQ(outcomes[7].judgement.verdict, Verdict::Wrong);
    EXPECT_EQ(table_by_area(programs, outcomes),
              "kind     area            total         same     same-run same-compile  unsupported        crash        wrong    pass\n"
              "probe    high               15           14            0            0            0            0            1   93.3%\n"
              "probe    low                 5            5            0            0            0            0            0  100.0%\n"
              "all                         20           19            0            0            0            0            1   95.0%\n");
}

TEST_F(Fake, AFailureNamesTheProgramTheModeAndTheDifference) {
    Program program{
        .id = "own/p", .area = "own", .path = {}, .source = "#do echo 2; echo oh >&2\n", .out = "1\n", .error = {}, .warnings = {}};
    std::string text = describe(program, run_mode, run_programs({program}, run_mode, sifr()).at(0));
    EXPECT_TRUE(text.starts_with("own/p in mode 'run' (exit status 0): wrong: line 1: want '1', got '2'\n")) << text;
    EXPECT_NE(text.find("-1\n+2\n"), std::string::npos) << text;
    EXPECT_NE(text.find("stderr:\noh\n"), std::string::npos) << text;
}

TEST_F(Fake, BitsAreReadWhereTheyAreAskedFor) {
    Program program{.id = "own/p", .area = "own", .path = {}, .source = "#do true\n", .out = "", .error = {}, .warnings = {}};
    EXPECT_EQ(run_programs({program}, run_mode, sifr(), true).at(0).bits, "some bits\n");
    EXPECT_EQ(run_programs({program}, run_mode, sifr()).at(0).bits, "");
}

TEST(Bits, TheFirstDifferenceIsNamed) {
    EXPECT_EQ(first_difference("a\nb\n", "a\nb\n"), "");
    EXPECT_EQ(first_difference("a\nb\n", "a\nc\n"), "line 2: 'b' against 'c'");
    EXPECT_EQ(first_difference("a\n", "a\nc\n"), "line 2: '(nothing)' against 'c'");
}

TEST(Modes, EachTakesItsShareAndTogetherTheySeeMost) {
    std::vector<int> counts(all_modes().size());
    int seen = 0;
    constexpr int programs = 2400;
    for (int k = 0; k < programs; ++k) {
        Program program{.id = fmt::format("probe/p{}", k), .area = "a", .path = {}, .source = {}, .out = {}, .error = {}, .warnings = {}};
        bool any = false;
        for (size_t m = 0; m < all_modes().size(); ++m) {
            if (!takes_part(all_modes()[m], program)) continue;
            ++counts[m];
            any = any || m > 0;
        }
        seen += any;
    }
    EXPECT_EQ(counts[0], programs);
    for (size_t m = 1; m < counts.size(); ++m) EXPECT_NEAR(counts[m], programs / all_modes()[m].one_in, 40) << all_modes()[m].name;
    EXPECT_GT(seen, programs / 3);
}

TEST(Modes, OurOwnScriptsRunInAll) {
    Program program{.id = "own/p", .area = "own", .path = {}, .source = {}, .out = {}, .error = {}, .warnings = {}};
    for (const Mode& mode : all_modes()) EXPECT_TRUE(takes_part(mode, program)) << mode.name;
}

TEST(LoadScripts, ReadsTheRecordBesideEachScript) {
    TempDir folder;
    write_file(folder.path() / "hazard__leaf.py", "print(1)\n");
    write_file(folder.path() / "hazard__leaf.out", "1\n");
    write_file(folder.path() / "hazard__leaf.err", "warning: UserWarning: w\nerror: RuntimeError: a\\nb\n");
    write_file(folder.path() / "without_a_record.py", "print(1)\n");
    std::vector<Program> programs = load_scripts(folder.path(), "corpus");
    ASSERT_EQ(programs.size(), 1U);
    EXPECT_EQ(programs[0].id, "corpus/hazard__leaf");
    EXPECT_EQ(programs[0].area, "hazard");
    EXPECT_EQ(programs[0].out, "1\n");
    EXPECT_EQ(programs[0].error, "RuntimeError: a\nb");
    EXPECT_EQ(programs[0].warnings, std::vector<std::string>{"UserWarning: w"});
}

}  // namespace
}  // namespace sifr::test
