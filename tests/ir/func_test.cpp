#include <cmath>

#include <gtest/gtest.h>

#include "ir/func/builder.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

namespace sifr {
namespace {

ParsedFunction parsed(const std::string& text) { return parse_function(SourceFile("test.sifr", text)); }

TEST(Function, ConstantsAreSharedByBits) {
    Function f;
    EXPECT_EQ(f.add_constant(0.5), f.add_constant(0.5));
    EXPECT_NE(f.add_constant(0.0), f.add_constant(-0.0));
    EXPECT_NE(f.add_constant(int64_t{1}), f.add_constant(true));
    EXPECT_NE(f.add_constant(int64_t{1}), f.add_constant(1.0));
    EXPECT_EQ(f.add_constant(std::nan("")), f.add_constant(std::nan("")));
    EXPECT_EQ(f.constant_int(f.add_constant(true)), 1);
    EXPECT_EQ(f.constant_float(f.add_constant(int64_t{3})), 3.0);
    EXPECT_EQ(f.constant_int(f.add_constant(2.0)), std::nullopt);
}

TEST(Function, UsesAreFoundEverywhere) {
    ParsedFunction p = parsed(
        "captured func @main(%x: f32[4] in $x, %i: i64) {\n"
        "  %v = select.at %x, %i, dim=0 : f32[] in $x +0+1*%i<4 ()\n"
        "  %v <- full 0.0\n"
        "  for %k in 0..%i {\n    %r = add %x, %v : f32[4] in $r\n  }\n"
        "  yield %x\n}\n");
    auto uses = compute_uses(p.function);
    ValueId x = p.function[p.function.body].params[0], i = p.function[p.function.body].params[1];
    EXPECT_EQ(uses[x.index].size(), 3u);  // select, add, yield
    EXPECT_EQ(uses[i.index].size(), 3u);  // operand, view index, bound
    ValueId v = p.function.insts[0].results[0];
    ASSERT_EQ(uses[v.index].size(), 2u);
    EXPECT_EQ(uses[v.index][0].operand, Use::dest_operand);
}

TEST(Function, ReplaceUsesReachesOperandsYieldsAndSizes) {
    ParsedFunction p = parsed("functional func @main(%a: i64, %b: i64, %x: f32[%a<=8]) {\n  %c = iadd %a, %a : i64\n  yield %a, %c\n}\n");
    Function& f = p.function;
    replace_uses(f, f[f.body].params[0], f[f.body].params[1]);
    EXPECT_EQ(print(f, p.stage), "functional func @main(%a: i64, %b: i64, %x: f32[%b<=8]) {\n  %c = iadd %b, %b                      : i64\n  yield %b, %c\n}\n");
}

TEST(Function, CompactDropsWhatIsErased) {
    ParsedFunction p = parsed("functional func @main(%x: f32[2], %c: bool) {\n  %y = neg %x : f32[2]\n  if %c {\n    %z = neg %x : f32[2]\n  }\n  %w = exp %x : f32[2]\n  yield %w\n}\n");
    Function& f = p.function;
    f.erase(f[f.body].insts[0]);
    f.erase(f[f.body].insts[1]);
    Function c = compact(f);
    EXPECT_EQ(c.insts.size(), 1u);
    EXPECT_EQ(c.regions.size(), 1u);
    EXPECT_EQ(c.values.size(), 3u);
    EXPECT_EQ(print(c, p.stage), print(f, p.stage));
    EXPECT_FALSE(find_fault(c, p.stage));
}

TEST(Function, CloneMapsOperandsAndCopiesRegions) {
    ParsedFunction p = parsed("functional func @main(%x: f32[2], %n: i64) {\n  %y = for %i in 0..%n carrying %p: f32[2] = %x {\n    %q = add %p, %x : f32[2]\n    yield %q\n  } : f32[2]\n  yield %y\n}\n");
    Function& f = p.function;
    ValueMap map;
    map.set(f[f.body].params[0], f.insts[0].results[0]);  // run again from where the first ended
    InstId again = clone_inst(f, f[f.body].insts[0], f, f.body, map);
    f[f.body].results = {map.get(f.insts[0].results[0])};
    EXPECT_FALSE(find_fault(f, p.stage));
    EXPECT_EQ(f[again].operands[3], f.insts[0].results[0]);
    EXPECT_NE(f[again].regions[0], f.insts[0].regions[0]);
}

TEST(Builder, ShorthandsBuildVerifiedCode) {
    Function f;
    ValueId x = f.add_parameter(f.body, Type::tensor(DType::F32, {2, 3}), "x");
    Builder b(f, f.body, Location{Span{0, 4, 2, 4, 9}});
    EXPECT_EQ(b.cast(x, DType::F32), x);
    EXPECT_EQ(b.extract(x, Layout::contiguous({2, 3})), x);
    EXPECT_EQ(b.sum_to(x, {2, 3}), x);
    ValueId t = b.permute(x, {1, 0});
    ValueId e = b.expand(t, {4, 3, 2});
    ValueId s = b.sum_to(e, {3, 1});
    ValueId r = b.reshape(s, {3});
    ValueId full = b.full(DType::I64, {2}, 3.0);
    ValueId i = b.insert(b.cast(full, DType::F64), Layout{1, {}, {}, {}, {}}, b.full(DType::F64, {}, 0.5));
    f[f.body].results = {r, i};
    verify(f, Stage::Functional);
    EXPECT_EQ(f.type(e).text(), "f32[4,3,2]");
    EXPECT_EQ(f.type(s).text(), "f32[3,1]");
    for (const Inst& inst : f.insts) EXPECT_EQ(inst.location[0].line, 4u);
}

TEST(Builder, InsertsInFrontInOrder) {
    ParsedFunction p = parsed("functional func @main(%a: i64) {\n  %c = iadd %a, 1 : i64\n  yield %c\n}\n");
    Function& f = p.function;
    Builder b(f, f.body, {});
    b.before(f[f.body].insts[0]);
    ValueId first = b.emit("ineg"_op, {f[f.body].params[0]});
    ValueId second = b.emit("iabs"_op, {first});
    f.insts[0].operands[0] = second;
    EXPECT_FALSE(find_fault(f, p.stage));
}

TEST(Verify, FaultsOfPassesAreInternalErrorsWithTheInstruction) {
    ParsedFunction p = parsed("functional func @main(%a: i64) {\n  %c = iadd %a, 1 : i64\n  %d = ineg %c : i64\n  yield %d\n}\n");
    Function& f = p.function;
    std::swap(f[f.body].insts[0], f[f.body].insts[1]);
    try {
        verify(f, Stage::Functional, "shuffle");
        FAIL() << "accepted";
    } catch (const InternalError& e) {
        EXPECT_EQ(std::string(e.what()), "the functional function @main is malformed after shuffle: operand %c is not defined in front of its use\n  in: %d = ineg %c");
    }
}

TEST(Attrs, EqualityIsByContentsAndBits) {
    Attrs a = attrs({{"x", 0.0}, {"y", int64_t{1}}}), b = attrs({{"x", -0.0}, {"y", int64_t{1}}});
    EXPECT_FALSE(a == b);
    b.set("x", 0.0);
    EXPECT_TRUE(a == b);
    auto data = [] { return std::make_shared<const TensorData>(TensorData{DType::U8, {std::byte{1}}}); };
    a.set("d", data());
    b.set("d", data());
    EXPECT_TRUE(a == b);
    EXPECT_TRUE(a.has("y"));
    a.set("z", std::monostate{});
    EXPECT_EQ(a.get_or<int64_t>("z", 5), 5);
    EXPECT_TRUE(a.has("z"));
}

}  // namespace
}  // namespace sifr
