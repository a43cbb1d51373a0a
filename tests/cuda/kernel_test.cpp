// The text of kernels on the CPU, behind shim.h, against the interpreter: bit for bit, whatever the order of threads and blocks. The kernels
// are those of the golden texts, which show every schedule, and of the loop IR's own tests, which have every statement.

#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/backend/backend.h"
#include "ir/loop/scalar_value.h"
#include "tests/backend/run_kernel.h"
#include "tests/support/golden.h"

namespace sifr::test {
namespace {

namespace fs = std::filesystem;

/// The first difference, or nothing; a NaN equals any NaN.
std::string difference(const Kernel& k, const std::vector<std::vector<std::byte>>& expected, const std::vector<std::vector<std::byte>>& got) {
    size_t at = 0;
    auto nan = [](DType t, ScalarValue v) { return t == DType::F64 ? std::isnan(v.f64) : is_float(t) && std::isnan(v.f32); };
    for (const Buffer& b : k.buffers) {
        if (b.scratch) continue;
        for (int64_t i = 0; i < b.extent; ++i) {
            const std::byte *e = expected[at].data() + i * size_of(b.type), *g = got[at].data() + i * size_of(b.type);
            if (std::memcmp(e, g, static_cast<size_t>(size_of(b.type))) == 0) continue;
            const ScalarValue x = load_value(b.type, e), y = load_value(b.type, g);
            if (nan(b.type, x) && nan(b.type, y)) continue;
            return fmt::format("{}[{}] is {} or {}, the interpreter gives {} or {}", b.name, i, y.i64, b.type == DType::F64 ? y.f64 : static_cast<double>(y.f32), x.i64,
                               b.type == DType::F64 ? x.f64 : static_cast<double>(x.f32));
        }
        ++at;
    }
    return {};
}

/// All in one plan, so that a few compilations serve; each runs twice, with threads and blocks in other orders.
void expect_same(Plan plan, const std::vector<std::vector<int64_t>>& scalars, bool specials) {
    for (size_t i = 0; i < plan.kernels.size(); ++i) plan.kernels[i].name = fmt::format("k{}_{}", i, plan.kernels[i].name);
    BackendOptions options;
    options.gpu_archs = {"sm_90"};
    auto program = backend_named("cuda").load(plan, options);
    for (size_t i = 0; i < plan.kernels.size(); ++i) {
        const Kernel& k = plan.kernels[i];
        auto pointers = [](std::vector<std::vector<std::byte>>& v) {
            std::vector<void*> p;
            for (auto& b : v) p.push_back(b.data());
            return p;
        };
        const auto arguments = random_arguments(k, static_cast<uint32_t>(i + 1), specials);
        auto expected = arguments;
        KernelStatus wanted;
        interpret(k, pointers(expected).data(), scalars[i].data(), &wanted);
        for (int turn = 0; turn < 2; ++turn) {
            auto got = arguments;
            KernelStatus status;
            program->launch(k.name, pointers(got).data(), scalars[i].data(), &status);
            EXPECT_EQ(difference(k, expected, got), "") << print(k);
            EXPECT_EQ(std::memcmp(&wanted, &status, sizeof status), 0)
                << k.name << ": status is (" << status.site << ", " << status.position << ", " << status.value << "), the interpreter gives (" << wanted.site << ", "
                << wanted.position << ", " << wanted.value << ")";
        }
    }
}

/// 3 for each I64, 0.5 for each F64, true for each Bool.
std::vector<int64_t> some_scalars(const Kernel& k) {
    std::vector<int64_t> all;
    for (VarId v : k.scalars) {
        int64_t bits = k.vars[v.index].type == DType::Bool ? 1 : 3;
        const double half = 0.5;
        if (k.vars[v.index].type == DType::F64) std::memcpy(&bits, &half, sizeof bits);
        all.push_back(bits);
    }
    return all;
}

TEST(CudaKernels, EverySchedule) {
    Plan plan;
    std::vector<std::vector<int64_t>> scalars;
    for (const char* folder : {"cuda/text", "loop/kernels"})
        for (const auto& entry : fs::directory_iterator(fs::path(SIFR_TEST_DIR) / folder)) {
            if (entry.path().extension() != ".sifr") continue;
            plan.kernels.push_back(parsed_kernel(read_file(entry.path())));
            scalars.push_back(some_scalars(plan.kernels.back()));
        }
    ASSERT_GT(plan.kernels.size(), 8u);
    expect_same(std::move(plan), scalars, false);
}

std::string with(std::string text, const std::vector<std::pair<std::string, std::string>>& replacements) {
    for (const auto& [from, to] : replacements)
        for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
    return text;
}

TEST(CudaKernels, EveryOperationOnSpecialValues) {
    Plan plan;
    // One kernel for each type, one buffer for each operation.
    auto add = [&](const std::string& type, const std::vector<std::string>& operations) {
        std::string parameters, body;
        for (size_t i = 0; i < operations.size(); ++i) {
            parameters += fmt::format(", out{}: write {}[203]", i, type);
            body += fmt::format("        out{}[i] = {}\n", i, operations[i]);
        }
        plan.kernels.push_back(parsed_kernel(with("kernel @k(x: read T[203], y: read T[203], z: read i8[203]PARAMETERS) {\n    vector i in 0..203 {\n        let a: T = x[i]\n"
                                                  "        let b: T = y[i]\n        let s: T = T(mod(z[i], 70))\nBODY    }\n}\n",
                                                  {{"PARAMETERS", parameters}, {"BODY", body}, {"T", type}})));
    };
    for (const char* type : {"f32", "f64"}) {
        add(type, {"a + b", "a - b", "a * b", "a / b", "rem(a, b)", "mod(a, b)", "floordiv(a, b)", "min(a, b)", "max(a, b)", "fma(a, b, a)", "neg(a)", "abs(a)", "sqrt(a)",
                   "floor(a)", "ceil(a)", "trunc(a)", "round(a)", "select(a < b, a, b)", "select(a == b, a, b)", "select(a >= b, a, b)"});
        add(type, {"exp(a)", "exp2(a)", "expm1(a)", "log(a)", "log2(a)", "log10(a)", "log1p(a)", "sin(a)", "cos(a)", "tan(a)", "asin(a)", "acos(a)", "atan(a)", "sinh(a)",
                   "cosh(a)", "tanh(a)", "asinh(a)", "acosh(a)", "atanh(a)", "erf(a)", "erfc(a)", "erfinv(a)", "lgamma(a)", "digamma(a)", "pow(a, b)", "atan2(a, b)",
                   "sin(a * 1000000.0)", "exp(a * 60.0)", "pow(abs(a), b * 40.0)"});
    }
    for (const char* type : {"i8", "u8", "i16", "i32", "i64"})
        add(type, {"a + b", "a - b", "a * b", "a / b", "rem(a, b)", "mod(a, b)", "floordiv(a, b)", "min(a, b)", "max(a, b)", "neg(a)", "abs(a)", "a & b", "a | b", "not(a)",
                   "shl(a, s)", "shr(a, s)", "select(a < b, a, b)"});
    const char* types[] = {"bool", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"};
    for (const char* from : types) {
        std::string parameters, body;
        for (const char* to : types) {
            if (std::string(from) == to) continue;
            parameters += fmt::format(", out_{0}: write {0}[77]", to);
            body += fmt::format("        out_{0}[i] = {0}(x[i])\n", to);
        }
        plan.kernels.push_back(parsed_kernel(fmt::format("kernel @k(x: read {}[77]{}) {{\n    vector i in 0..77 {{\n{}    }}\n}}\n", from, parameters, body)));
    }
    const std::vector<std::vector<int64_t>> scalars(plan.kernels.size());
    expect_same(std::move(plan), scalars, true);
}

TEST(CudaKernels, ReductionsOfEveryLengthAtEveryLevel) {
    Plan plan;
    for (int n : {0, 1, 16, 17, 64, 65, 128, 129, 300, 2047, 2049, 5000, 70001}) {
        const std::string size = std::to_string(n), extent = std::to_string(n + 1);
        plan.kernels.push_back(parsed_kernel(with(R"(kernel @k(x: read f32[E], y: read i16[E], out: write f32[4], where: write i64[2], some: write i16[2]) {
    reduce lanes k in 0..N {
    } sum a: f32 = x[k], prod b: f32 = x[k], max c: f32 = x[k], argmin d: i64 = x[k] value e: f32, max m: i16 = y[k]
    reduce rows r in 0..N {
    } sum f: f32 = x[r], argmax g: i64 = y[r]
    out[0] = a
    out[1] = b
    out[2] = c + e
    out[3] = f
    where[0] = d
    where[1] = g
    some[0] = m
    some[1] = 1
}
)", {{"E", extent}, {"N", size}})));
    }
    for (int n : {3, 20, 64, 65, 200, 1500}) {
        plan.kernels.push_back(parsed_kernel(with(R"(kernel @k(x: read f32[S], out: write f32[40], squares: write f64[40], most: write i64[40]) {
    parallel i in 0..40 grain 1 {
        reduce lanes k in 0..N {
            let v: f32 = x[N*i + k]
        } sum a: f32 = v times v, argmax m: i64 = v
        reduce lanes k_1 in 0..N {
        } sum b: f64 = f64(x[N*i + k_1])
        out[i] = a
        squares[i] = b
        most[i] = m
    }
}
)", {{"S", std::to_string(40 * n)}, {"N", std::to_string(n)}})));
    }
    const std::vector<std::vector<int64_t>> scalars(plan.kernels.size());
    expect_same(std::move(plan), scalars, false);
}

TEST(CudaKernels, ProductsOfManySizes) {
    Plan plan;
    const int64_t sizes[][4] = {{1, 5, 7, 3}, {1, 16, 16, 16}, {1, 70, 33, 40}, {1, 65, 130, 17}, {2, 31, 40, 20}, {1, 4, 100, 50}, {1, 9, 20, 0}, {1, 3, 50, 300}, {1, 60, 1, 90}, {1, 20, 20, 4097}, {1, 5, 6, 9000}};
    for (const char* type : {"f32", "f64", "i32"})
        for (bool transposed : {false, true})
            for (const auto& [batch, m, n, k] : sizes)
                plan.kernels.push_back(parsed_kernel(fmt::format(
                    "kernel @k(a: read {0}[{1}], b: read {0}[{2}], out: write {0}[{3}]) {{\n"
                    "    contract acc: {0} over p in {4}, i in {5}, j in {6}, k in {7}, a[{8}*p, {9}*m + {10}*k], b[{11}*p, {12}*k + {13}*n] {{\n"
                    "        out[{14}*p + {6}*i + j] = acc * {0}(2)\n    }}\n}}\n",
                    type, std::max<int64_t>(1, batch * m * k), std::max<int64_t>(1, batch * k * n), batch * m * n, batch, m, n, k, m * k, transposed ? 1 : k, transposed ? m : 1, k * n,
                    transposed ? 1 : n, transposed ? k : 1, m * n)));
    const std::vector<std::vector<int64_t>> scalars(plan.kernels.size());
    expect_same(std::move(plan), scalars, false);
}

}  // namespace
}  // namespace sifr::test
