#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "ir/math/scalar_math.h"

// The transcendental functions against long double ones: at most 1.5 units in the last place.

namespace sifr {
namespace {

struct Function {
    ScalarOp op;
    const char* name;
    long double (*exact)(long double);
};
const Function functions[] = {
    {ScalarOp::Exp, "exp", expl},       {ScalarOp::Exp2, "exp2", exp2l},    {ScalarOp::Expm1, "expm1", expm1l}, {ScalarOp::Log, "log", logl},
    {ScalarOp::Log2, "log2", log2l},    {ScalarOp::Log10, "log10", log10l}, {ScalarOp::Log1p, "log1p", log1pl}, {ScalarOp::Sin, "sin", sinl},
    {ScalarOp::Cos, "cos", cosl},       {ScalarOp::Tan, "tan", tanl},       {ScalarOp::Asin, "asin", asinl},    {ScalarOp::Acos, "acos", acosl},
    {ScalarOp::Atan, "atan", atanl},    {ScalarOp::Sinh, "sinh", sinhl},    {ScalarOp::Cosh, "cosh", coshl},    {ScalarOp::Tanh, "tanh", tanhl},
    {ScalarOp::Asinh, "asinh", asinhl}, {ScalarOp::Acosh, "acosh", acoshl}, {ScalarOp::Atanh, "atanh", atanhl}, {ScalarOp::Erf, "erf", erfl},
    {ScalarOp::Erfc, "erfc", erfcl},
};

template <class T>
double units(T got, long double want) {
    constexpr int digits = std::numeric_limits<T>::digits, lowest = std::numeric_limits<T>::min_exponent;
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : HUGE_VAL;
    if (std::isinf(got) || std::fabs(want) > std::numeric_limits<T>::max()) return got == static_cast<T>(want) ? 0 : HUGE_VAL;
    int e = 0;
    std::frexp(want, &e);
    return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / std::ldexp(1.0L, std::max(e, lowest) - digits));
}

TEST(Transcendental, SinglePrecisionIsRightEverywhere) {
    for (const Function& f : functions)
        for (uint64_t i = 0; i < (uint64_t{1} << 32); i += 199'999) {
            float x = std::bit_cast<float>(static_cast<uint32_t>(i));
            ASSERT_LE(units(eval_unary(f.op, x), f.exact(x)), 1.5) << f.name << "(" << x << ")";
        }
}

TEST(Transcendental, DoublePrecisionIsRightEverywhere) {
    std::mt19937_64 draw(3);
    std::uniform_real_distribution<double> near(-1, 1);
    for (const Function& f : functions)
        for (int i = 0; i < 5'000; ++i) {
            double v = near(draw);
            for (double x : {std::bit_cast<double>(draw()), v, 10 * v, 700 * v, std::exp(20 * v)})
                ASSERT_LE(units(eval_unary(f.op, x), f.exact(x)), 1.5) << f.name << "(" << x << ")";
        }
}

TEST(Transcendental, PowersAreRight) {
    std::mt19937_64 draw(5);
    std::uniform_real_distribution<double> near(-1, 1);
    for (int i = 0; i < 20'000; ++i) {
        double x = std::exp(80 * near(draw)), y = 9 * near(draw);
        ASSERT_LE(units(eval_binary(ScalarOp::Pow, x, y), powl(x, y)), 1.5) << x << " ** " << y;
        auto xf = static_cast<float>(x), yf = static_cast<float>(y);
        ASSERT_LE(units(eval_binary(ScalarOp::Pow, xf, yf), powl(xf, yf)), 1.5) << xf << " ** " << yf;
        double u = near(draw);
        ASSERT_LE(units(eval_binary(ScalarOp::Atan2, y, u), atan2l(y, u)), 1.5) << "atan2 " << y << ", " << u;
    }
    double values[] = {0.0, -0.0, 1, -1, 2, -3, 0.5, HUGE_VAL, -HUGE_VAL, NAN, 1e30, -1.5};
    for (double x : values)
        for (double y : values) {
            EXPECT_LE(units(eval_binary(ScalarOp::Pow, x, y), powl(x, y)), 1.5) << x << " ** " << y;
            EXPECT_LE(units(eval_binary(ScalarOp::Atan2, x, y), atan2l(x, y)), 1.5) << "atan2 " << x << ", " << y;
        }
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
