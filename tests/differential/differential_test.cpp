// Some random programs, run in every way that there is: none may differ. `differential` runs as many as one likes.

#include "tests/differential/differential.h"

#include <gtest/gtest.h>

#include "tests/differential/generator.h"

namespace sifr::test {
namespace {

TEST(Differential, AllWaysOfRunningAgree) {
    Differential d;
    d.programs = 200;
    d.seconds = 60;  // a slow build runs fewer
    d.jit_one_in = 20;
    DifferentialResult r = run_differential(d);
    for (const auto& found : r.differences) ADD_FAILURE() << "seed " << found.seed << ": " << found.what << "\n" << found.program;
    EXPECT_GT(r.finished, r.programs / 2);
    EXPECT_GE(r.features["backward"], r.programs * 3 / 10);
}

TEST(Differential, ProgramsAreAFunctionOfTheirSeed) {
    EXPECT_EQ(generate_program(7).text, generate_program(7).text);
    EXPECT_NE(generate_program(7).text, generate_program(8).text);
}

}  // namespace
}  // namespace sifr::test
