#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/loop/loop_ir.h"
#include "tests/support/golden.h"

namespace sifr {
namespace {

const std::filesystem::path kernels = std::filesystem::path(SIFR_TEST_DIR) / "loop" / "kernels";

Kernel parsed(const std::string& text) {
    SourceFile file("kernel.sifr", text);
    size_t offset = 0;
    return parse_kernel(file, offset);
}

Kernel from_file(const std::string& name) { return parsed(test::read_file(kernels / name)); }

void run(const Kernel& k, std::vector<void*> buffers, std::vector<int64_t> scalars = {}, KernelStatus* status = nullptr) {
    verify(k);
    interpret(k, buffers.data(), scalars.data(), status);
}

TEST(Loop, PrintParsePrintIsTheIdentity) {
    for (const char* name : {"forms.sifr", "contract.sifr"}) {
        std::string text = test::read_file(kernels / name);
        EXPECT_EQ(print(parsed(text)), text) << name;
    }
}

TEST(Loop, NamesThatCollideArePrintedApart) {
    Kernel k;
    k.name = "k";
    BufferId out = k.add_buffer({.name = "x", .extent = 4, .access = Buffer::Access::Write});
    VarId x = k.add_var("x"), f = k.add_var("for");
    For outer{.var = x, .lo = Affine::constant(0), .hi = Affine::constant(2), .body = {}};
    For inner{.var = f, .lo = Affine::constant(0), .hi = Affine::constant(2), .body = {}};
    Affine at = Affine::of(x, 2);
    at.add(Affine::of(f));
    inner.body.push_back({Store{out, at, k.exprs.constant(DType::F32, 0.1)}, {}});
    outer.body.push_back({inner, {}});
    k.body.push_back({outer, {}});
    verify(k);
    std::string text = print(k);
    EXPECT_EQ(text, "kernel @k(x: write f32[4]) {\n    for x_1 in 0..2 {\n        for for_1 in 0..2 {\n            x[2*x_1 + for_1] = 0.1\n        }\n    }\n}\n");
    EXPECT_EQ(print(parsed(text)), text);
}

TEST(Loop, ASyntaxErrorNamesItsPlace) {
    try {
        parsed("kernel @k(x: read f32[4]) {\n    y[0] = 1.0\n}\n");
        FAIL() << "accepted";
    } catch (const CompileError& e) {
        EXPECT_EQ(e.diagnostic.text, "there is no buffer 'y'");
        EXPECT_EQ(e.diagnostic.span.line, 2u);
    }
}

TEST(Loop, TheVerifierRefuses) {
    struct Case {
        const char* text;
        const char* why;
    };
    for (const Case& c : {
             Case{"kernel @k(x: write f32[4]) { for i in 0..5 { x[i] = 1.0 } }", "an access at 0..4 of 'x', which has 4 elements"},
             Case{"kernel @k(x: read f32[4]) { x[0] = 1.0 }", "a store to 'x', which is only read"},
             Case{"kernel @k(x: write f32[4], y: write f32[4]) { x[0] = y[0] }", "a load from 'y', which is only written"},
             Case{"kernel @k(x: write f32[4]) { scratch s: f32[4]\n s[0] = 1.0\n parallel i in 0..4 grain 1 { x[i] = s[i] } }",
                  "scratch 's' is used inside and outside of a parallel loop"},
             Case{"kernel @k(x: write f32[4]) { parallel i in 0..2 grain 1 { parallel j in 0..2 grain 1 { x[2*i + j] = 1.0 } } }",
                  "a parallel loop inside of another"},
             Case{"kernel @k(x: write f16[4]; h: f16) { x[0] = h + h }", "arithmetic in f16"},
         }) {
        Kernel k = parsed(c.text);
        try {
            verify(k);
            ADD_FAILURE() << "accepted: " << c.text;
        } catch (const InternalError& e) {
            EXPECT_NE(std::string(e.what()).find(c.why), std::string::npos) << e.what();
        }
    }
}

TEST(Loop, FormsComputeWhatTheySay) {
    Kernel k = from_file("forms.sifr");
    std::vector<float> x(64), out(64, -1.0f);
    std::vector<uint16_t> half(64);
    std::iota(x.begin(), x.end(), -20.0f);
    std::vector<int64_t> index = {0, 1, 2, 3, 4, 9, 6, -1};
    std::vector<double> sums(8, 0.0);
    KernelStatus status;
    double alpha = 0.25;
    int64_t alpha_bits;
    std::memcpy(&alpha_bits, &alpha, 8);
    run(k, {x.data(), index.data(), out.data(), sums.data(), half.data()}, {3, alpha_bits}, &status);
    EXPECT_EQ(status.site, 0);
    EXPECT_EQ(status.position, 5);  // the first offence in program order
    EXPECT_EQ(status.value, 9);
    EXPECT_EQ(sums[0], -10.5);      // three iterations of the run-time loop, over what was accumulated there
    EXPECT_EQ(out[0], -1.0f);
    EXPECT_GT(out[63], 0.0f);
}

TEST(Loop, ALanesSumHasTheDefinedOrder) {
    Kernel k = parsed("kernel @k(x: read f32[300], s: write f32[1]) { reduce lanes i in 0..300 { } sum t: f32 = x[i]\n s[0] = t }");
    std::vector<float> x(300);
    for (int i = 0; i < 300; ++i) x[static_cast<size_t>(i)] = std::sin(static_cast<float>(i)) * std::pow(10.0f, static_cast<float>(i % 7));
    float got;
    run(k, {x.data(), &got});
    // By hand: three blocks (128, 128, 44); the first two are combined, then the third, lane by lane; then the lanes.
    float block[3][16] = {};
    for (int i = 0; i < 300; ++i) block[i / 128][i % 16] += x[static_cast<size_t>(i)];
    float lane[16];
    for (int l = 0; l < 16; ++l) lane[l] = (block[0][l] + block[1][l]) + block[2][l];
    for (int half = 8; half > 0; half /= 2)
        for (int l = 0; l < half; ++l) lane[l] += lane[l + half];
    EXPECT_EQ(got, lane[0]);
}

TEST(Loop, ARowsSumRunsInChunksOf128) {
    Kernel k = parsed("kernel @k(x: read f32[300], s: write f32[1]) { reduce rows i in 0..300 { } sum t: f32 = x[i]\n s[0] = t }");
    std::vector<float> x(300);
    for (int i = 0; i < 300; ++i) x[static_cast<size_t>(i)] = std::cos(static_cast<float>(i)) * 3.7f;
    float got;
    run(k, {x.data(), &got});
    float chunk[3] = {};
    for (int i = 0; i < 300; ++i) chunk[i / 128] += x[static_cast<size_t>(i)];
    EXPECT_EQ(got, (chunk[0] + chunk[1]) + chunk[2]);
}

TEST(Loop, ExtremaKeepNaNAndTheFirstOfEquals) {
    Kernel k = parsed("kernel @k(x: read f32[6], m: write f32[1], a: write i64[2]) {"
                      " reduce lanes i in 0..6 { let v: f32 = x[i] } max t: f32 = v, argmax p: i64 = v, argmin q: i64 = v\n m[0] = t\n a[0] = p\n a[1] = q }");
    std::vector<float> x = {1, 5, 0, 5, 0, 2};
    float m;
    int64_t a[2];
    run(k, {x.data(), &m, a});
    EXPECT_EQ(m, 5.0f);
    EXPECT_EQ(a[0], 1);
    EXPECT_EQ(a[1], 2);
    x[3] = x[4] = NAN;
    run(k, {x.data(), &m, a});
    EXPECT_TRUE(std::isnan(m));
    EXPECT_EQ(a[0], 3);
    EXPECT_EQ(a[1], 3);
}

TEST(Loop, AContractionIsOneChainPerChunkAndItsEpilogueSeesTheSum) {
    Kernel k = from_file("contract.sifr");
    std::vector<float> a(60), b(40), bias = {0.5f, -100.0f, 0.25f, 0.0f, 1.0f}, out(40, 7.0f);
    for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<float>(i));
    for (size_t i = 0; i < b.size(); ++i) b[i] = std::cos(static_cast<float>(i));
    run(k, {a.data(), b.data(), bias.data(), out.data()});
    for (size_t i = 0; i < 5; ++i) {
        for (size_t j = 0; j < 5; ++j) {
            float s = 0;
            for (size_t q = 0; q < 8; ++q) s = std::fma(a[8 * i + q], b[q + 8 * j], s);
            float want = s + bias[j];
            EXPECT_EQ(out[5 * i + j], want > 0 ? want : 0.0f);
        }
    }
    EXPECT_EQ(out[25], 7.0f);
}

TEST(Loop, ATruncationThatDoesNotFitIsTheSmallestInteger) {
    Kernel k = parsed("kernel @k(x: read f32[3], a: write i32[3], b: write i64[3], c: write bool[3]) { for i in 0..3 {"
                      " a[i] = i32(x[i])\n b[i] = i64(x[i])\n c[i] = bool(x[i]) } }");
    std::vector<float> x = {-2.75f, 3e10f, NAN};
    int32_t a[3];
    int64_t b[3];
    bool c[3];
    run(k, {x.data(), a, b, c});
    EXPECT_EQ(a[0], -2);
    EXPECT_EQ(a[1], INT32_MIN);
    EXPECT_EQ(b[1], 30000001024);
    EXPECT_EQ(b[2], INT64_MIN);
    EXPECT_TRUE(c[0] && c[2]);
}

}  // namespace
}  // namespace sifr
