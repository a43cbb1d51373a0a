#include <sstream>

#include <gtest/gtest.h>

#include "ir/base/diagnostic.h"
#include "ir/type/type.h"

namespace sifr {
namespace {

std::vector<DType> all_dtypes() {
    std::vector<DType> out;
    for (int k = 0; k < dtype_count; ++k) out.push_back(static_cast<DType>(k));
    return out;
}

// torch.promote_types(row, column), recorded from PyTorch 2.15; rows and columns in the order of the enumeration.
constexpr const char* promotion[dtype_count] = {
    "bool u8 i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128",
    "u8 u8 i16 i16 i32 i64 f16 bf16 f32 f64 c64 c128",
    "i8 i16 i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128",
    "i16 i16 i16 i16 i32 i64 f16 bf16 f32 f64 c64 c128",
    "i32 i32 i32 i32 i32 i64 f16 bf16 f32 f64 c64 c128",
    "i64 i64 i64 i64 i64 i64 f16 bf16 f32 f64 c64 c128",
    "f16 f16 f16 f16 f16 f16 f16 f32 f32 f64 c64 c128",
    "bf16 bf16 bf16 bf16 bf16 bf16 f32 bf16 f32 f64 c64 c128",
    "f32 f32 f32 f32 f32 f32 f32 f32 f32 f64 c64 c128",
    "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 c128 c128",
    "c64 c64 c64 c64 c64 c64 c64 c64 c64 c128 c64 c128",
    "c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128",
};

// torch.can_cast(row, column), recorded likewise.
constexpr const char* castable[dtype_count] = {
    "111111111111", "011111111111", "011111111111", "011111111111", "011111111111", "011111111111",
    "000000111111", "000000111111", "000000111111", "000000111111", "000000000011", "000000000011",
};

TEST(DType, PromotionIsThatOfPyTorch) {
    for (DType a : all_dtypes()) {
        std::istringstream row(promotion[static_cast<int>(a)]);
        for (DType b : all_dtypes()) {
            std::string expected;
            row >> expected;
            EXPECT_EQ(name_of(promote(a, b)), expected) << name_of(a) << " and " << name_of(b);
        }
    }
}

TEST(DType, CastsAreAllowedAsInPyTorch) {
    for (DType a : all_dtypes())
        for (DType b : all_dtypes()) EXPECT_EQ(can_cast(a, b), castable[static_cast<int>(a)][static_cast<int>(b)] == '1') << name_of(a) << " to " << name_of(b);
}

TEST(DType, NamesReadBack) {
    for (DType t : all_dtypes()) {
        EXPECT_EQ(dtype_named(name_of(t)), t);
        EXPECT_EQ(dtype_torch_named(torch_name(t).substr(6)), t);
    }
    EXPECT_EQ(dtype_torch_named("long"), DType::I64);
    EXPECT_EQ(dtype_torch_named("half"), DType::F16);
    EXPECT_EQ(dtype_named("float32"), std::nullopt);
    EXPECT_EQ(dtype_torch_named("f32"), std::nullopt);
}

TEST(DType, SizesAndCategories) {
    EXPECT_EQ(size_of(DType::Bool), 1);
    EXPECT_EQ(size_of(DType::BF16), 2);
    EXPECT_EQ(size_of(DType::C128), 16);
    EXPECT_TRUE(is_integral(DType::U8));
    EXPECT_FALSE(is_integral(DType::Bool));
    EXPECT_TRUE(is_integral(DType::Bool, true));
    EXPECT_TRUE(is_float(DType::F16));
    EXPECT_FALSE(is_float(DType::C64));
    EXPECT_FALSE(is_signed(DType::U8));
}

TEST(Type, Text) {
    EXPECT_EQ(Type::tensor(DType::F32, {2, 3}).text(), "f32[2,3]");
    EXPECT_EQ(Type::tensor(DType::Bool, {}).text(), "bool[]");
    EXPECT_EQ(Type::optional({Type::f64(), Type::tensor(DType::I64, {2})}).text(), "opt(f64,i64[2])");
    EXPECT_EQ(Type::list(Type::str()).text(), "list(str)");
    Type bounded = Type::tensor(DType::F32, {16, 3});
    bounded.run_time_sizes.push_back({0, ValueId(7)});
    EXPECT_EQ(bounded.text(), "f32[%7<=16,3]");
}

TEST(Type, ElementCountsThatDoNotFitRaise) {
    EXPECT_EQ(element_count({}), 1);
    EXPECT_EQ(element_count({int64_t{1} << 40, int64_t{1} << 40, 0}), 0);
    try {
        element_count({int64_t{1} << 40, int64_t{1} << 40});
        FAIL() << "accepted";
    } catch (const ScriptError& e) {
        EXPECT_EQ(e.type, "RuntimeError");
        EXPECT_EQ(e.text, "Storage size calculation overflowed with sizes=[1099511627776, 1099511627776]");
    }
}

}  // namespace
}  // namespace sifr
