#include <gtest/gtest.h>

#include "ir/base/diagnostic.h"
#include "ir/op/op_def.h"

namespace sifr {
namespace {

Attrs no_attributes;

std::vector<Type> types_of(const char* row, std::vector<Type> types, Attrs a = {}, std::vector<ScalarConstant> constants = {}) {
    constants.resize(types.size());
    return infer_types(OpCall{*op_named(row), types, constants, {}, a});
}
std::string error_of(const char* row, std::vector<Type> types, Attrs a = {}) {
    try {
        types_of(row, std::move(types), std::move(a));
    } catch (const ScriptError& e) {
        return e.type + ": " + e.text;
    }
    return "";
}
Type f32(Sizes s) { return Type::tensor(DType::F32, std::move(s)); }
Type i64(Sizes s) { return Type::tensor(DType::I64, std::move(s)); }

TEST(RowTable, EverySignatureParses) {
    for (Op op : all_ops()) EXPECT_NO_THROW(signature(op)) << name_of(op);
}

TEST(RowTable, OverloadsStandInTheOrderInWhichTheyAreTried) {
    auto sums = overloads("sum");
    ASSERT_EQ(sums.size(), 2u);
    EXPECT_EQ(name_of(sums[0]), "sum");
    EXPECT_EQ(name_of(sums[1]), "sum.dim");
    EXPECT_EQ(overloads("clip").size(), overloads("clamp").size());
    EXPECT_TRUE(overloads("no_such_function").empty());
}

TEST(Promotion, NumbersCountByCategoryOnly) {
    EXPECT_EQ(types_of("mul", {i64({2}), Type::f64()})[0].dtype, DType::F32);
    EXPECT_EQ(types_of("mul", {f32({2}), Type::tensor(DType::F64, {})})[0].dtype, DType::F32);
    EXPECT_EQ(types_of("mul", {i64({2}), Type::tensor(DType::F64, {})})[0].dtype, DType::F64);
    EXPECT_EQ(types_of("div", {i64({2}), i64({2})})[0].dtype, DType::F32);
    EXPECT_EQ(types_of("sum", {i64({2})})[0].dtype, DType::I64);
    EXPECT_EQ(types_of("gt", {f32({2}), Type::f64()})[0].dtype, DType::Bool);
}

TEST(Errors, HavePyTorchsWords) {
    EXPECT_EQ(error_of("add", {f32({2, 3}), f32({2})}),
              "RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1");
    EXPECT_EQ(error_of("mm", {f32({2, 3}), f32({2, 3})}), "RuntimeError: mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
    EXPECT_EQ(error_of("sum.dim", {f32({2, 3})}, [] { Attrs a; a.set("dim", int64_t{5}); return a; }()),
              "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 5)");
    EXPECT_EQ(error_of("mean", {i64({2})}),
              "NotImplementedError: mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long");
}

TEST(Layouts, ElementwiseResultsKeepACommonOrderOfAxes) {
    Type t = f32({3, 2});
    std::vector<Type> types = {t, t};
    std::vector<ScalarConstant> constants(2);
    Layout transposed{0, {3, 2}, {1, 3}, {}, {}}, plain = Layout::contiguous({3, 2});
    std::vector<const Layout*> same = {&transposed, &transposed}, mixed = {&plain, &transposed};
    EXPECT_EQ(fresh_layout(OpCall{"add"_op, types, constants, same, no_attributes}, t).strides, (Strides{1, 3}));
    EXPECT_EQ(fresh_layout(OpCall{"add"_op, types, constants, mixed, no_attributes}, t).strides, (Strides{2, 1}));
    EXPECT_EQ(fresh_layout(OpCall{"mm"_op, types, constants, same, no_attributes}, t).strides, (Strides{2, 1}));
}

}  // namespace
}  // namespace sifr
