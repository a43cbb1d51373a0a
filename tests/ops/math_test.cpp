#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "ir/math/scalar_math.h"
#include "tests/ops/functions.h"

// The transcendental functions against long double ones: at most 1.5 units in the last place.

namespace sifr {
namespace {

using test::real_functions;
using test::RealFunction;
using test::units_apart;

TEST(Transcendental, SinglePrecisionIsRightEverywhere) {
    for (const RealFunction& f : real_functions)
        for (uint64_t i = 0; i < (uint64_t{1} << 32); i += 199'999) {
            float x = std::bit_cast<float>(static_cast<uint32_t>(i));
            ASSERT_LE(units_apart(eval_unary(f.op, x), f.exact(x)), 1.5) << f.name << "(" << x << ")";
        }
}

TEST(Transcendental, DoublePrecisionIsRightEverywhere) {
    std::mt19937_64 draw(3);
    std::uniform_real_distribution<double> near(-1, 1);
    for (const RealFunction& f : real_functions)
        for (int i = 0; i < 5'000; ++i) {
            double v = near(draw);
            for (double x : {std::bit_cast<double>(draw()), v, 10 * v, 700 * v, std::exp(20 * v)})
                ASSERT_LE(units_apart(eval_unary(f.op, x), f.exact(x)), 1.5) << f.name << "(" << x << ")";
        }
}

TEST(Transcendental, PowersAreRight) {
    std::mt19937_64 draw(5);
    std::uniform_real_distribution<double> near(-1, 1);
    for (int i = 0; i < 20'000; ++i) {
        double x = std::exp(80 * near(draw)), y = 9 * near(draw);
        ASSERT_LE(units_apart(eval_binary(ScalarOp::Pow, x, y), powl(x, y)), 1.5) << x << " ** " << y;
        auto xf = static_cast<float>(x), yf = static_cast<float>(y);
        ASSERT_LE(units_apart(eval_binary(ScalarOp::Pow, xf, yf), powl(xf, yf)), 1.5) << xf << " ** " << yf;
        double u = near(draw);
        ASSERT_LE(units_apart(eval_binary(ScalarOp::Atan2, y, u), atan2l(y, u)), 1.5) << "atan2 " << y << ", " << u;
    }
    double values[] = {0.0, -0.0, 1, -1, 2, -3, 0.5, HUGE_VAL, -HUGE_VAL, NAN, 1e30, -1.5};
    for (double x : values)
        for (double y : values) {
            EXPECT_LE(units_apart(eval_binary(ScalarOp::Pow, x, y), powl(x, y)), 1.5) << x << " ** " << y;
            EXPECT_LE(units_apart(eval_binary(ScalarOp::Atan2, x, y), atan2l(x, y)), 1.5) << "atan2 " << x << ", " << y;
        }
}

TEST(Transcendental, GammaAndInverseErrorFunctionsAreNear) {
    std::mt19937_64 draw(7);
    std::uniform_real_distribution<double> near(-1, 1);
    for (int i = 0; i < 20'000; ++i) {
        double x = std::exp(8 * near(draw));
        long double want = lgammal(x);
        ASSERT_LE(std::fabs(eval_unary(ScalarOp::Lgamma, x) - want), 1e-15L * std::max(1.0L, std::fabs(want))) << x;
        ASSERT_LE(std::fabs(eval_unary(ScalarOp::Lgamma, static_cast<float>(x)) - lgammal(static_cast<float>(x))),
                  5e-7L * std::max(1.0L, std::fabs(want))) << x;
        double negative = -20 * std::fabs(near(draw));
        ASSERT_LE(std::fabs(eval_unary(ScalarOp::Lgamma, negative) - lgammal(negative)), 1e-13L * std::max(1.0L, std::fabs(lgammal(negative)))) << negative;
        // The inverse, through the function itself: its slope is what an error of the argument turns into.
        double y = 3 * near(draw);
        float single = eval_unary(ScalarOp::Erfinv, static_cast<float>(y / 3.1));
        ASSERT_LE(units_apart(single, eval_unary(ScalarOp::Erfinv, static_cast<double>(static_cast<float>(y / 3.1)))), 4) << y;
        double back = eval_unary(ScalarOp::Erfinv, static_cast<double>(erfl(y)));
        ASSERT_LE(std::fabs(back - y), 4e-16 * std::max(1.0, std::fabs(y)) + 1.2e-16 * std::exp(y * y)) << y;
        // ψ(x + 1) = ψ(x) + 1/x
        double a = eval_unary(ScalarOp::Digamma, x + 1) - eval_unary(ScalarOp::Digamma, x);
        ASSERT_LE(std::fabs(a - 1 / x), 4e-15 * std::max(1.0, 1 / x) + 1e-14) << x;
    }
    EXPECT_NEAR(eval_unary(ScalarOp::Digamma, 1.0), -0.57721566490153286, 1e-15);
    EXPECT_NEAR(eval_unary(ScalarOp::Digamma, -0.5), 0.03648997397857652, 1e-14);
    EXPECT_EQ(eval_unary(ScalarOp::Erfinv, 1.0), HUGE_VAL);
    EXPECT_TRUE(std::isnan(eval_unary(ScalarOp::Erfinv, 1.5f)));
    EXPECT_EQ(eval_unary(ScalarOp::Lgamma, -3.0), HUGE_VAL);
}

TEST(Transcendental, PointsThatUsersSeeAreExact) {
    EXPECT_EQ(eval_unary(ScalarOp::Exp, 0.0f), 1.0f);
    EXPECT_EQ(eval_unary(ScalarOp::Log, 1.0f), 0.0f);
    EXPECT_EQ(eval_unary(ScalarOp::Tanh, 20.0f), 1.0f);
    EXPECT_TRUE(std::signbit(eval_unary(ScalarOp::Tanh, -0.0f)));
    EXPECT_EQ(eval_unary(ScalarOp::Log2, 8.0), 3.0);
    EXPECT_EQ(eval_unary(ScalarOp::Log10, 1000.0), 3.0);
    EXPECT_EQ(eval_unary(ScalarOp::Exp2, -3.0), 0.125);
    EXPECT_EQ(eval_binary(ScalarOp::Pow, 3.0, 4.0), 81.0);
    EXPECT_EQ(eval_binary(ScalarOp::Pow, 2.0f, 0.5f), std::sqrt(2.0f));
    EXPECT_EQ(eval_unary(ScalarOp::Acos, 1.0), 0.0);
}

}  // namespace
}  // namespace sifr
