// What a person reads: kernels as CUDA C++, in golden files beside the loop IR that they are printed from.

#include <gtest/gtest.h>

#include "compiler/backend/cuda/device_text.h"
#include "compiler/backend/cuda/nvrtc.h"
#include "compiler/backend/thin_contract.h"
#include "tests/backend/run_kernel.h"
#include "tests/support/golden.h"

namespace sifr::test {
namespace {

namespace fs = std::filesystem;

TEST(CudaText, KernelsAreAsTheGoldenFilesSay) {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(SIFR_TEST_DIR) / "cuda/text")) {
        if (entry.path().extension() != ".sifr") continue;
        ++count;
        const Kernel k = parsed_kernel(read_file(entry.path()));
        const DeviceKernel d = cuda::print_kernel(has_thin_contraction(k) ? expand_thin_contractions(k, true) : k, "t.py");
        std::string launches;
        for (const DevicePart& p : d.parts) launches += fmt::format("// {} on {} blocks of {} threads\n", p.symbol, p.blocks, p.threads);
        if (d.slab_bytes > 0) launches += fmt::format("// slab: {} bytes\n", d.slab_bytes);
        fs::path golden = entry.path();
        EXPECT_TRUE(matches_golden(golden.replace_extension(".cu"), launches + d.text));
    }
    EXPECT_GT(count, 5);
}

TEST(CudaText, AUnitHasWhatItsKernelsUseAndNothingElse) {
    const Kernel k = parsed_kernel("kernel @k(x: read f16[8], out: write f32[8]) {\n    vector i in 0..8 {\n        out[i] = tanh(f32(x[i]))\n    }\n}\n");
    const DeviceKernel d = cuda::print_kernel(k, "t.py");
    const std::string unit = cuda::device_unit({&d});
    EXPECT_NE(unit.find("float from_f16(u16 h)"), std::string::npos);
    EXPECT_NE(unit.find("float tanh_f32(float x)"), std::string::npos);
    EXPECT_EQ(unit.find("to_f16"), std::string::npos);
    EXPECT_EQ(unit.find("tanh_f64"), std::string::npos);
    EXPECT_EQ(unit.find("reduce_"), std::string::npos);
    EXPECT_EQ(unit.find("#include"), std::string::npos);
    EXPECT_EQ(unit.find("__int_as_float(0x"), std::string::npos) << "numbers are written as numbers:\n" << unit;
}

/// What one reduction leaves in shared memory the next one writes over: there are 48 KiB for all of a kernel.
TEST(CudaText, ReductionsShareTheirMemory) {
    std::string parameters, body, wide;
    for (int i = 0; i < 40; ++i) {
        parameters += fmt::format(", out_{}: write f64[1]", i);
        body += fmt::format("    reduce lanes k{0} in 0..1000 {{\n    }} sum s{0}: f64 = x[k{0}]\n    out_{0}[0] = s{0}\n", i);
        wide += fmt::format("{} sum w{}: f64 = x[k] * {}.0", i ? "," : "", i, i + 1);
    }
    const std::string head = "kernel @k(x: read f64[1000]" + parameters + ") {\n";
    const std::string text = cuda::print_kernel(parsed_kernel(head + body + "}\n"), "t.py").text;
    EXPECT_EQ(text.find("__shared__"), text.rfind("__shared__")) << text;
    EXPECT_NE(text.find("__shared__ u8 shared_space[4096]"), std::string::npos) << text;
    // Forty numbers at once do not fit; each thread has them all.
    std::string stores;
    for (int i = 0; i < 40; ++i) stores += fmt::format("    out_{0}[0] = w{0}\n", i);
    const std::string all = cuda::print_kernel(parsed_kernel(head + "    reduce lanes k in 0..1000 {\n    }" + wide + "\n" + stores + "}\n"), "t.py").text;
    EXPECT_EQ(all.find("__shared__"), std::string::npos) << all;
    EXPECT_NE(all.find("reduce_thread<16>"), std::string::npos) << all;
}

TEST(CudaText, FloatsAreAddedByAtomicsOnRequestAlone) {
    const Kernel k = parsed_kernel("kernel @k(index: read i64[20000], x: read f32[20000], out: readwrite f32[16]) {\n    for i in 0..20000 {\n        let at: i64 = index[i]\n"
                                   "        let safe: i64 = max(min(at, 15), 0)\n        accumulate sum out[safe], x[i]\n    }\n}\n");
    const DeviceKernel in_order = cuda::print_kernel(k, "t.py"), at_once = cuda::print_kernel(k, "t.py", true);
    EXPECT_EQ(in_order.text.find("atomicAdd"), std::string::npos) << in_order.text;
    EXPECT_EQ(in_order.parts.at(0).blocks, 1);
    EXPECT_NE(at_once.text.find("atomicAdd(&out[safe], x[i]);"), std::string::npos) << at_once.text;
    EXPECT_GT(at_once.parts.at(0).blocks, 50);
}

TEST(CudaText, ALogOfPtxasIsRead) {
    const auto all = cuda::resources_of(
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function 'sum_kernel' for 'sm_80'\n"
        "ptxas info    : Function properties for sum_kernel\n"
        "ptxas         .     16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
        "ptxas info    : Used 22 registers, used 1 barriers, 2048 bytes smem, 368 bytes cmem[0]\n"
        "ptxas info    : Compiling entry function 'b' for 'sm_80'\n"
        "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 8 registers\n");
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].symbol, "sum_kernel");
    EXPECT_EQ(all[0].registers, 22);
    EXPECT_EQ(all[0].shared_bytes, 2048);
    EXPECT_EQ(all[0].stack_bytes, 16);
    EXPECT_EQ(all[0].spill_bytes, 12);
    EXPECT_EQ(all[1].symbol, "b");
    EXPECT_EQ(all[1].registers, 8);
    EXPECT_EQ(all[1].spill_bytes, 0);
    EXPECT_EQ(cuda::warnings_of("ptxas info    : 0 bytes gmem\nt.py(3): warning #177-D: variable was declared but never referenced\n"),
              "t.py(3): warning #177-D: variable was declared but never referenced\n");
}

}  // namespace
}  // namespace sifr::test
