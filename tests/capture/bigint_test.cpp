#include <gtest/gtest.h>

#include "compiler/frontend/capture/bigint.h"

namespace sifr::capture {
namespace {

BigInt big(const char* digits) { return *BigInt::parse(digits); }

TEST(BigInt, PowersAndProductsKeepAllDigits) {
    EXPECT_EQ(BigInt::pow(BigInt(2), 100).str(), "1267650600228229401496703205376");
    EXPECT_EQ((big("123456789012345678901234567890") * big("-987654321098765432109876543210")).str(), "-121932631137021795226185032733622923332237463801111263526900");
}

TEST(BigInt, DivisionRoundsTowardsMinusInfinity) {
    BigInt q, r;
    BigInt::floor_divide(big("-100000000000000000000"), BigInt(7), q, r);
    EXPECT_EQ(q.str(), "-14285714285714285715");
    EXPECT_EQ(r.str(), "5");
    BigInt::floor_divide(big("100000000000000000000"), BigInt(-7), q, r);
    EXPECT_EQ(q.str(), "-14285714285714285715");
    EXPECT_EQ(r.str(), "-5");
}

TEST(BigInt, BitsAreTwosComplement) {
    EXPECT_EQ(BigInt::bitwise(BigInt(-1), BigInt::pow(BigInt(2), 70), '&').str(), BigInt::pow(BigInt(2), 70).str());
    EXPECT_EQ(BigInt::bitwise(BigInt(-8), BigInt(3), '|').to_int64(), -5);
    EXPECT_EQ(BigInt::bitwise(BigInt(-8), BigInt(3), '^').to_int64(), -5);
    EXPECT_EQ(BigInt(-5).shift_right(1).to_int64(), -3);
}

TEST(BigInt, DoublesRoundToNearestEven) {
    EXPECT_EQ(*big("9007199254740993").to_double(), 9007199254740992.0);
    EXPECT_EQ(*big("9007199254740995").to_double(), 9007199254740996.0);
    EXPECT_FALSE(BigInt::pow(BigInt(10), 400).to_double().has_value());
    EXPECT_EQ(BigInt::truncate(-1e20).str(), "-100000000000000000000");
    EXPECT_EQ(BigInt::truncate(0.9).str(), "0");
}

}  // namespace
}  // namespace sifr::capture
