// Functions with parameters and results: every stage, the plan and compiled code leave the same bytes in the caller's memory.

#include <bit>
#include <cstring>

#include <gtest/gtest.h>

#include "compiler/backend/backend.h"
#include "ir/interp/interp.h"
#include "ir/text/text.h"
#include "passes/run_passes.h"
#include "runtime/sifr_runtime.h"

namespace sifr {
namespace {

using Bytes = std::vector<std::byte>;

struct Ran {
    std::vector<Bytes> memory;  ///< tensor parameters, then tensor results
    std::vector<int64_t> numbers;
    bool operator==(const Ran&) const = default;
};

Program parsed(const std::string& text) {
    SourceFile file("t.sifr", text);
    return parse_program(file);
}

Program at_stage(const std::string& text, const char* stage) {
    Program p = parsed(text);
    PassContext context;
    RunPassesOptions options;
    options.stop_at = stage;
    run_passes(p, context, options);
    verify(p);
    return p;
}

struct Case {
    const char* name;
    const char* text;
    std::vector<std::vector<float>> tensors;  ///< parameters
    std::vector<size_t> results;              ///< elements of the tensor results
    std::vector<int64_t> numbers;
    size_t number_results = 0;
};

Ran run(const Case& c, const char* stage) {
    Ran out;
    RunOptions options;
    for (const auto& t : c.tensors) {
        Bytes b(t.size() * 4);
        std::memcpy(b.data(), t.data(), b.size());
        out.memory.push_back(std::move(b));
    }
    for (size_t n : c.results) out.memory.emplace_back(n * 4);
    for (Bytes& b : out.memory) options.arguments.push_back(b.data());
    options.numbers = c.numbers;
    options.results = &out.numbers;
    if (std::string_view(stage) != "code") {
        Program p = at_stage(c.text, stage);
        EXPECT_EQ(print(p), print(parsed(print(p)))) << stage;
        std::visit([&](const auto& x) { interpret(x, options); }, p);
        return out;
    }
    BackendOptions backend;
    backend.as_function = true;
    const Program plan = at_stage(c.text, "plan");
    auto code = backend_named("llvm").load(std::get<Plan>(plan), backend);
    sifr_context* context = sifr_context_new(nullptr);
    out.numbers.resize(c.number_results);
    EXPECT_EQ(sifr_context_call(context, &code->function(), options.arguments.data(), c.numbers.data(), out.numbers.data()), SIFR_OK) << sifr_context_error(context);
    sifr_context_free(context);
    return out;
}

const Case cases[] = {
    {"ResultIsFresh", R"(captured func @f(%x: f32[4] in $x, %w: f32[4] in $w) {
  %m = mul %x, %w : f32[4] in $m
  %s = sum %m : f32[] in $s
  yield %s, %m
})", {{1, 2, 3, 4}, {5, 6, 7, 8}}, {1, 4}, {}, 0},
    {"ArgumentIsWrittenInPlace", R"(captured func @f(%x: f32[4] in $x, %w: f32[4] in $w) {
  %x <- add %x, %w
  %v = slice %x, dim=0, start=1, end=3, step=1 : f32[2] in $x +1 (1)
  %v <- mul %v, 10.0
})", {{1, 2, 3, 4}, {5, 6, 7, 8}}, {}, {}, 0},
    {"OldContentsAreGivenOut", R"(captured func @f(%x: f32[4] in $x) {
  %old = add %x, 0.0 : f32[4] in $old
  %x <- full 7.0
  %x <- add %x, %old
  yield %old
})", {{1, 2, 3, 4}}, {4}, {}, 0},
    {"ArgumentsChangePlaces", R"(captured func @f(%x: f32[4] in $x, %y: f32[4] in $y) {
  %t = add %x, 0.0 : f32[4] in $t
  %x <- copy %y
  %y <- copy %t
})", {{1, 2, 3, 4}, {5, 6, 7, 8}}, {}, {}, 0},
    {"NumbersGoInAndOut", R"(captured func @f(%x: f32[4] in $x, %n: i64, %k: f64) {
  %a = mul %x, %k : f32[4] in $a
  %b = add %a, %n : f32[4] in $b
  %m = iadd %n, 1 : i64
  %h = fmul %k, %k : f64
  yield %b, %m, %h, true
})", {{1, 2, 3, 4}}, {4}, {3, std::bit_cast<int64_t>(0.5)}, 3},
    {"LoopCarriesAnArgument", R"(captured func @f(%x: f32[4] in $x, %w: f32[4] in $w) {
  for %i in 0..5 {
    %t = mul %x, %w : f32[4] in $t
    %x <- add %t, 1.0
  }
})", {{1, 2, 3, 4}, {0.5F, 0.25F, 0.125F, 1}}, {}, {}, 0},
    {"BranchWritesOrNot", R"(captured func @f(%x: f32[4] in $x, %n: i64) {
  %c = igt %n, 2 : bool
  if %c { %x <- full 9.0 }
})", {{1, 2, 3, 4}}, {}, {3}, 0},
};

class Functions : public ::testing::TestWithParam<Case> {};

TEST_P(Functions, AreTheSameAtEveryStage) {
    const Case& c = GetParam();
    const Ran expected = run(c, "captured");
    for (const char* stage : {"functional", "fused", "plan", "code"}) EXPECT_EQ(run(c, stage), expected) << stage;
}

INSTANTIATE_TEST_SUITE_P(All, Functions, ::testing::ValuesIn(cases), [](const auto& info) { return std::string(info.param.name); });

std::vector<float> floats(const Bytes& b) {
    std::vector<float> out(b.size() / 4);
    std::memcpy(out.data(), b.data(), b.size());
    return out;
}

TEST(Function, WritesWhatItsTextSays) {
    EXPECT_EQ(floats(run(cases[1], "code").memory[0]), (std::vector<float>{6, 80, 100, 12}));
    EXPECT_EQ(floats(run(cases[3], "code").memory[0]), (std::vector<float>{5, 6, 7, 8}));
    EXPECT_EQ(floats(run(cases[3], "code").memory[1]), (std::vector<float>{1, 2, 3, 4}));
    const Ran numbers = run(cases[4], "code");
    EXPECT_EQ(floats(numbers.memory[1]), (std::vector<float>{3.5F, 4, 4.5F, 5}));
    EXPECT_EQ(numbers.numbers, (std::vector<int64_t>{4, std::bit_cast<int64_t>(0.25), 1}));
}

TEST(Function, WritesResultsAndUpdatesWithoutACopy) {
    for (size_t k : {0, 1}) {
        const Program p = at_stage(cases[k].text, "plan");
        EXPECT_EQ(print(p).find("copy"), std::string::npos) << print(p);
    }
}

TEST(Function, LeavesByARaise) {
    const char* text = R"(captured func @f(%x: f32[4] in $x, %n: i64) {
  %x <- add %x, 1.0
  %c = igt %n, 2 : bool
  check %c, %n, type="ValueError", text="n is {}" @7:3
})";
    BackendOptions backend;
    backend.as_function = true;
    backend.script_path = "f.py";
    const Program plan = at_stage(text, "plan");
    auto code = backend_named("llvm").load(std::get<Plan>(plan), backend);
    sifr_context_options options = {};
    options.struct_size = sizeof options;
    sifr_context* context = sifr_context_new(&options);
    float x[4] = {1, 2, 3, 4};
    void* arguments[] = {x};
    int64_t n = 1;
    EXPECT_EQ(sifr_context_call(context, &code->function(), arguments, &n, nullptr), SIFR_VALUE_ERROR);
    EXPECT_STREQ(sifr_context_error(context), "ValueError: n is 1");
    const char* file = nullptr;
    EXPECT_EQ(sifr_context_error_line(context, &file), 7);
    EXPECT_STREQ(file, "f.py");
    n = 3;
    EXPECT_EQ(sifr_context_call(context, &code->function(), arguments, &n, nullptr), SIFR_OK);
    EXPECT_STREQ(sifr_context_error(context), "");
    EXPECT_EQ(x[0], 3);
    sifr_context_free(context);
}

}  // namespace
}  // namespace sifr
