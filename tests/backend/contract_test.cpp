// Matrix products against the interpreter's chain of multiply-adds, bit for bit.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/backend/run_kernel.h"

namespace sifr::test {
namespace {

struct Product {
    int64_t batch = 1, m, n, k;
    bool a_transposed = false, b_transposed = false;
    const char* type = "f32";
};

std::string text_of(const Product& p, const std::string& epilogue) {
    const int64_t am = p.a_transposed ? 1 : p.k, ak = p.a_transposed ? p.m : 1, bk = p.b_transposed ? 1 : p.n, bn = p.b_transposed ? p.k : 1;
    auto offset = [&](int64_t size) { return p.batch > 1 ? fmt::format("{}*p", size) : std::string("0"); };
    return fmt::format("kernel @k(a: read {0}[{1}], b: read {0}[{2}], bias: read {0}[{3}], out: write {0}[{4}]) {{\n"
                       "    contract acc: {0} over p in {5}, i in {6}, j in {7}, k in {8}, a[{9}, {10}*m + {11}*k], b[{12}, {13}*k + {14}*n] {{\n"
                       "        {15}\n    }}\n}}\n",
                       p.type, p.batch * p.m * p.k, p.batch * p.k * p.n, p.n, p.batch * p.m * p.n, p.batch, p.m, p.n, p.k, offset(p.m * p.k), am, ak,
                       offset(p.k * p.n), bk, bn, fmt::format(fmt::runtime(epilogue), fmt::arg("at", fmt::format("{}*p + {}*i + j", p.m * p.n, p.n))));
}

void expect_same(const Product& p, const std::string& epilogue = "out[{at}] = acc") {
    const Kernel k = parsed_kernel(text_of(p, epilogue));
    EXPECT_EQ(compare_with_interpreter(k), "") << fmt::format("{} x {} of {} x {} x {}, {}{}, {}", p.batch, p.type, p.m, p.n, p.k,
                                                              p.a_transposed ? 'T' : 'N', p.b_transposed ? 'T' : 'N', epilogue);
}

TEST(Contract, OddSizesInAllTranspositions) {
    const int64_t sizes[][3] = {{4, 4, 1}, {5, 7, 3}, {6, 16, 8}, {7, 17, 9}, {12, 8, 20}, {13, 33, 40}, {23, 40, 65}, {64, 64, 64}, {31, 10, 130}, {100, 25, 37}, {4, 100, 50}, {40, 4, 5}};
    for (const char* type : {"f32", "f64"})
        for (bool at : {false, true})
            for (bool bt : {false, true})
                for (const auto& s : sizes) expect_same({1, s[0], s[1], s[2], at, bt, type});
}

TEST(Contract, BlocksOfKContinueTheChain) {
    for (bool at : {false, true})
        for (bool bt : {false, true}) {
            expect_same({1, 14, 35, 1000, at, bt, "f32"});
            expect_same({1, 14, 35, 777, at, bt, "f64"});
        }
}

TEST(Contract, ChunksOfKAreSummedInOrder) {
    for (int64_t k : {4095, 4096, 4097, 8192, 9000}) expect_same({1, 5, 18, k, false, true});
    expect_same({1, 7, 5, 10000, true, false, "f64"});
}

TEST(Contract, ManyRowsAndColumnsTakeThreadsAndBlocks) {
    expect_same({1, 150, 130, 100});
    expect_same({1, 9, 700, 200, false, true});
    expect_same({1, 300, 90, 90, true, true, "f64"});
}

TEST(Contract, MuchOfTheLeftOperandIsPacked) {
    expect_same({1, 271, 130, 491, false, false, "f64"});
    expect_same({1, 683, 225, 391});
}

TEST(Contract, ThinProductsAreLanesReductions) {
    for (bool at : {false, true})
        for (bool bt : {false, true}) {
            expect_same({1, 1, 50, 300, at, bt});
            expect_same({1, 1, 200, 10, at, bt});
            expect_same({1, 2, 70, 1500, at, bt});
            expect_same({1, 70, 1, 130, at, bt, "f64"});
            expect_same({1, 3, 40, 33, at, bt, "f64"});
            expect_same({1, 50, 1, 1000, at, bt});
            expect_same({2, 3, 2, 17, at, bt});
        }
}

TEST(Contract, Integers) {
    for (const char* type : {"i64", "i32", "u8"})
        for (bool bt : {false, true}) expect_same({1, 9, 20, 33, false, bt, type});
}

TEST(Contract, Batches) {
    for (bool at : {false, true}) expect_same({5, 9, 20, 12, at, !at});
    expect_same({40, 32, 32, 32});
}

TEST(Contract, EpiloguesActOnTheFinishedSum) {
    for (int64_t n : {16, 21}) {
        expect_same({1, 13, n, 600}, "out[{at}] = max(acc + bias[j], 0.0)");
        expect_same({1, 13, n, 30}, "let v: f32 = acc * 0.5\n        if bias[j] < 0.0 {{\n            out[{at}] = v\n        }} else {{\n            out[{at}] = v * acc\n        }}");
        expect_same({1, 13, n, 30},
                    "let v: f32 = (((acc * 0.5) + 0.1) * (acc - 0.25)) + bias[j]\n        let w: f32 = (((v * 0.75) + 0.3) * (v - 0.5)) / (v + 8.0)\n"
                    "        out[{at}] = select(w > 0.5, (w * w) + 0.7, (v - w) * 0.9)");
    }
}

TEST(Contract, NothingToSum) { expect_same({1, 5, 20, 0}); }

}  // namespace
}  // namespace sifr::test
