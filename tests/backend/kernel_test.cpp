// Each statement of the loop IR and each scalar operation: what the LLVM back end makes of it against the interpreter, bit for bit.

#include <gtest/gtest.h>

#include "ir/type/dtype.h"
#include "tests/backend/run_kernel.h"

namespace sifr::test {
namespace {

void expect_same(const std::string& text, std::vector<int64_t> scalars = {}, bool specials = false) {
    const Kernel k = parsed_kernel(text);
    EXPECT_EQ(compare_with_interpreter(k, scalars, 1, specials), "") << text;
}

std::string with(std::string text, const std::vector<std::pair<std::string, std::string>>& replacements) {
    for (const auto& [from, to] : replacements)
        for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
    return text;
}

TEST(Kernel, VectorLoopsOfEveryLengthAndType) {
    for (const char* type : {"f32", "f64", "i32", "i64", "i16", "i8", "u8"})
        for (int n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100})
            expect_same(with(R"(kernel @k(x: read T[N], y: read T[N], out: write T[N]) {
    vector i in 0..N {
        out[i] = (x[i] * y[i]) - x[i]
    }
}
)", {{"T", type}, {"N", std::to_string(n)}}));
}

TEST(Kernel, RunTimeSizesTakeTheTail) {
    for (const char* type : {"f32", "u8", "bool"})
        for (int64_t n : {0, 1, 15, 16, 40, 47})
            expect_same(with(R"(kernel @k(x: read T[48], out: write T[48]; n: i64) {
    vector i in 0..n {
        out[i] = x[i]
    }
}
)", {{"T", type}}), {n});
}

TEST(Kernel, StridedReversedAndBroadcastAccesses) {
    expect_same(R"(kernel @k(x: read f32[300], row: read f32[50], out: write f32[200], back: write f32[50], every: write i16[200]) {
    for r in 0..3 {
        vector i in 0..50 {
            let v: f32 = x[2*i + 100*r] + row[49 - i]
            out[3*i + r] = v * row[r]
            back[49 - i] = v
            every[4*i] = i16(v)
        }
    }
}
)");
}

TEST(Kernel, GatherAndScatterAtRunTimeIndices) {
    expect_same(R"(kernel @k(index: read i64[40], x: read f64[32], out: write f64[80], sums: readwrite f64[8], small: readwrite i8[8]) {
    vector i in 0..37 {
        let j: i64 = index[i]
        out[2*i] = x[3*j + 1]
        accumulate sum sums[j], x[j]
        accumulate max small[j], i8(j)
    }
    vector i in 0..8 {
        accumulate sum sums[i], x[2*i]
    }
}
)");
}

TEST(Kernel, ConditionsMaskLanesAndKeepReadsInside) {
    for (const char* type : {"f32", "i8"})
        expect_same(with(R"(kernel @k(x: read T[37], out: write T[43], n: write i64[1]; before: i64) {
    vector i in 0..43 {
        if (before <= i) & (i < 40) {
            out[i] = x[i - before]
        } else {
            out[i] = T(7)
        }
    }
    if x[0] < x[1] {
        n[0] = 1
    } else {
        n[0] = 2
    }
}
)", {{"T", type}}), {3});
}

TEST(Kernel, ScalarsOfAllKindsAndRecurrences) {
    expect_same(R"(kernel @k(x: read f32[64], out: write f32[64], total: write f64[1]; n: i64, alpha: f64, flag: bool) {
    let s: f64 = 0.0
    for i in 0..n {
        s = (s * alpha) + f64(x[i])
        out[i] = select(flag, f32(s), 1.5)
    }
    vector i in n..64 {
        let t: f32 = 0.0
        for j in 0..5 {
            t = fma(t, 0.5, x[i] + f32(j))
        }
        out[i] = t
    }
    total[0] = s
}
)", {29, std::bit_cast<int64_t>(0.75), 1});
}

TEST(Kernel, ChecksReportTheFirstOffence) {
    const char* text = R"(kernel @k(index: read i64[100], x: read f32[100], out: write f32[100]; limit: i64) {
    site "IndexError" "index {} is out of bounds"
    site "ValueError" "negative"
    vector i in 0..100 {
        let j: i64 = index[i]
        check j < limit, site 0, position i, value j
        let safe: i64 = min(j, 3)
        check x[i] > -1.9, site 1, position i, value i
        out[i] = x[safe]
    }
    for i in 0..100 {
        check index[i] < limit, site 1, position i, value 5
    }
}
)";
    for (int64_t limit : {8, 7, 3, 0}) expect_same(text, {limit});
}

TEST(Kernel, ParallelLoopsWithPrivateScratch) {
    expect_same(R"(kernel @k(x: read f32[9000], out: write f32[9000], sums: write f32[90]; alpha: f64) {
    scratch row: f32[100]
    let two: f32 = f32(alpha) * 2.0
    parallel r in 0..90 grain 4 {
        vector i in 0..100 {
            row[i] = x[100*r + i] * two
        }
        let s: f32 = 0.0
        for i in 0..100 {
            s = s + row[i]
        }
        sums[r] = s
        vector i in 0..100 {
            out[100*r + i] = row[i] / s
        }
    }
}
)", {std::bit_cast<int64_t>(1.25)});
    expect_same(R"(kernel @k(x: read f32[200000], out: write f32[200000]) {
    vector i in 0..200000 {
        out[i] = x[i] + 1.0
    }
}
)");
}

TEST(Kernel, LargeScratchComesFromTheThread) {
    expect_same(R"(kernel @k(x: read f64[6000], out: write f64[6000]) {
    scratch a: f64[6000]
    scratch b: f64[6000]
    vector i in 0..6000 {
        a[i] = x[i] * 2.0
        b[5999 - i] = x[i]
    }
    vector i in 0..6000 {
        out[i] = a[i] + b[i]
    }
}
)");
}

TEST(Kernel, ReductionsInTheDefinedOrder) {
    for (const char* type : {"f32", "f64", "i32", "u8"})
        for (int n : {0, 1, 3, 8, 15, 16, 17, 100, 127, 128, 129, 250, 256, 300, 511, 512, 513, 1000, 1500, 5000})
            expect_same(with(R"(kernel @k(x: read T[M], y: read T[M], out: write T[8], n: write i64[4]) {
    reduce lanes k in 0..N {
        let v: T = x[k]
    } sum a: T = v, prod b: T = y[k], max c: T = v
    reduce lanes k2 in 0..N {
    } min d: T = y[k2], sum e: T = x[k2] times y[k2]
    reduce lanes k3 in 0..N {
    } argmax g: i64 = x[k3] value gv: T, argmin h: i64 = x[k3]
    reduce lanes k4 in 0..N {
    } sum s: T = x[k4]
    out[0] = a
    out[1] = b
    out[2] = c
    out[3] = d
    out[4] = e
    out[5] = gv
    out[6] = s
    n[0] = g
    n[1] = h
}
)", {{"N", std::to_string(n)}, {"M", std::to_string(n + 1)}, {"T", type}}));
}

TEST(Kernel, ReductionsOfRunTimeExtent) {
    for (int64_t n : {0, 1, 16, 20, 128, 130, 700, 1029})
        expect_same(R"(kernel @k(x: read f32[1030], out: write f32[4], at: write i64[1]; n: i64) {
    reduce lanes k in 0..n {
    } sum a: f32 = x[k], argmin b: i64 = x[k] value c: f32
    reduce rows r in 0..n {
    } sum d: f32 = x[r]
    out[0] = a
    out[1] = c
    out[2] = d
    at[0] = b
}
)", {n});
}

TEST(Kernel, RowReductionsInsideVectorLoops) {
    for (int rows : {1, 5, 128, 300, 700})
        for (int columns : {1, 3, 20, 70})
            expect_same(with(R"(kernel @k(x: read f32[S], out: write f32[C], most: write i64[C], all: write bool[C]) {
    vector c in 0..C {
        reduce rows r in 0..R {
            let v: f32 = x[C*r + c] * 0.5
        } sum s: f32 = v, argmax m: i64 = v, all a: bool = v > -0.9
        out[c] = s
        most[c] = m
        all[c] = a
    }
}
)", {{"S", std::to_string(rows * columns)}, {"R", std::to_string(rows)}, {"C", std::to_string(columns)}}));
}

TEST(Kernel, ExtremaWithNaNsAndZerosOfBothSigns) {
    const char* text = R"(kernel @k(x: read T[600], out: write T[4], n: write i64[4]) {
    reduce lanes k in 0..600 {
    } max a: T = x[k], min b: T = x[k], argmax c: i64 = x[k] value d: T, argmin e: i64 = x[k]
    reduce lanes k2 in 0..4 {
    } max f: T = x[k2], argmax g: i64 = x[k2], argmin h: i64 = x[k2]
    out[0] = a
    out[1] = b
    out[2] = d
    out[3] = f
    n[0] = c
    n[1] = e
    n[2] = g
    n[3] = h
}
)";
    for (const char* type : {"f32", "f64", "i16", "i64"})
        for (uint32_t seed = 1; seed < 5; ++seed)
            EXPECT_EQ(compare_with_interpreter(parsed_kernel(with(text, {{"T", type}})), {}, seed, true), "") << type;
}

TEST(Kernel, FloatOperationsOnSpecialValues) {
    for (const char* type : {"f32", "f64"})
        for (const char* e : {"a + b", "a - b", "a * b", "a / b", "rem(a, b)", "mod(a, b)", "floordiv(a, b)", "min(a, b)", "max(a, b)",
                              "fma(a, b, a)", "neg(a)", "abs(a)", "sqrt(a)", "floor(a)", "ceil(a)", "trunc(a)", "round(a)",
                              "select(a < b, a, b)", "select(a == b, a, b)", "select(a != b, a, b)", "select(a >= b, a, b)"})
            for (const char* loop : {"vector", "for"})
                expect_same(with("kernel @k(x: read T[203], y: read T[203], out: write T[203]) {\n    LOOP i in 0..203 {\n        let a: T = x[i]\n"
                                 "        let b: T = y[i]\n        out[i] = EXPR\n    }\n}\n",
                                 {{"T", type}, {"LOOP", loop}, {"EXPR", e}}), {}, true);
}

TEST(Kernel, TranscendentalsHaveTheInterpretersBits) {
    for (const char* type : {"f32", "f64"})
        for (const char* e : {"exp(a)", "exp2(a)", "expm1(a)", "log(a)", "log2(a)", "log10(a)", "log1p(a)", "sin(a)", "cos(a)", "tan(a)", "asin(a)",
                              "acos(a)", "atan(a)", "sinh(a)", "cosh(a)", "tanh(a)", "asinh(a)", "acosh(a)", "atanh(a)", "erf(a)", "erfc(a)",
                              "pow(a, b)", "atan2(a, b)", "sin(a * 1000000.0)", "exp(a * 60.0)", "pow(abs(a), b * 40.0)", "tanh(a * 0.001)"})
            for (const char* loop : {"vector", "for"})
                expect_same(with("kernel @k(x: read T[403], y: read T[403], out: write T[403]) {\n    LOOP i in 0..403 {\n        let a: T = x[i]\n"
                                 "        let b: T = y[i]\n        out[i] = EXPR\n    }\n}\n",
                                 {{"T", type}, {"LOOP", loop}, {"EXPR", e}}), {}, true);
}

TEST(Kernel, IntegerOperationsOnAllBits) {
    for (const char* type : {"i8", "u8", "i16", "i32", "i64"})
        for (const char* e : {"a + b", "a - b", "a * b", "a / b", "rem(a, b)", "mod(a, b)", "floordiv(a, b)", "min(a, b)", "max(a, b)", "neg(a)",
                              "abs(a)", "a & b", "a | b", "not(a)", "shl(a, s)", "shr(a, s)", "select(a < b, a, b)"})
            expect_same(with("kernel @k(x: read T[131], y: read T[131], z: read i8[131], out: write T[131]) {\n    vector i in 0..131 {\n"
                             "        let a: T = x[i]\n        let b: T = y[i]\n        let s: T = T(mod(z[i], 70))\n        out[i] = EXPR\n    }\n}\n",
                             {{"T", type}, {"EXPR", e}}), {}, true);
}

TEST(Kernel, CastsBetweenAllTypes) {
    const char* types[] = {"bool", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"};
    for (const char* from : types)
        for (const char* to : types)
            if (from != to)
                expect_same(with("kernel @k(x: read FROM[77], out: write TO[77]) {\n    vector i in 0..77 {\n        out[i] = TO(x[i])\n    }\n}\n",
                                 {{"FROM", from}, {"TO", to}}), {}, true);
}

TEST(Kernel, CodeForAvx512Compiles) {
    const Kernel k = parsed_kernel(R"(kernel @k(x: read f32[1000], flags: read bool[1000], out: write f32[1000]) {
    vector i in 0..1000 {
        out[i] = select(flags[i], x[i], 0.0)
    }
    reduce lanes k in 0..1000 {
    } sum s: f32 = x[k]
    out[0] = s
}
)");
    EXPECT_NE(assembly_of(k, "x86-64-v4").find("%zmm"), std::string::npos);
    EXPECT_EQ(assembly_of(k, "x86-64-v3").find("%zmm"), std::string::npos);
}

}  // namespace
}  // namespace sifr::test
