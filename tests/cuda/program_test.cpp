// Whole programs: built with --device=cuda, run on the recording driver, whose kernels are the very same text on the CPU. They print what the
// same scripts print on the CPU, which is what PyTorch prints.

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/cuda/shim_programs.h"
#include "tests/scripts/runner.h"
#include "tests/support/golden.h"

namespace sifr::test {
namespace {

namespace fs = std::filesystem;

const Mode cuda_mode{.name = "cuda", .arguments = {"build", "--device=cuda", "--gpu-arch=sm_90"}, .executable = true, .timeout_s = 600,
                     .environment = shim_environment()};

void expect_pass(const std::vector<Program>& programs) {
    ASSERT_FALSE(programs.empty());
    const std::vector<Outcome> outcomes = run_programs(programs, cuda_mode, SIFR_BINARY);
    for (size_t i = 0; i < programs.size(); ++i) EXPECT_TRUE(passes(outcomes[i].judgement.verdict)) << describe(programs[i], cuda_mode, outcomes[i]);
}

TEST(CudaPrograms, ScriptsThatSayCuda) { expect_pass(load_scripts(fs::path(SIFR_TEST_DIR) / "cuda/scripts", "own")); }

TEST(CudaPrograms, Examples) { expect_pass(load_scripts(fs::path(SIFR_TEST_DIR) / "../examples", "example")); }

/// Programs of the corpus and the probes that passing.txt lists: each nineteenth, or with SIFR_ALL=1 all.
TEST(CudaPrograms, ProgramsOfTheCorpus) {
    const fs::path folder = fs::path(SIFR_TEST_DIR) / "scripts";
    std::vector<std::string> listed;
    std::istringstream lines(read_file(folder / "passing.txt"));
    for (std::string line; std::getline(lines, line);) listed.push_back(line);
    std::vector<Program> all = load_scripts(folder / "corpus", "corpus"), probes = load_probes(folder / "probes.jsonl");
    std::move(probes.begin(), probes.end(), std::back_inserter(all));
    // A script that asks whether there is CUDA is told so here.
    std::erase_if(all, [&](const Program& p) {
        const std::string source = p.source.empty() ? read_file(p.path) : p.source;
        return std::find(listed.begin(), listed.end(), p.id) == listed.end() || source.find("cuda") != std::string::npos;
    });
    if (!std::getenv("SIFR_ALL")) {
        std::vector<Program> some;
        for (size_t i = 0; i < all.size(); i += 19) some.push_back(all[i]);
        all.swap(some);
    }
    if (all.empty()) GTEST_SKIP() << "no program is listed";
    expect_pass(all);
}

TEST(CudaPrograms, DrawsThatTorchCudaMakesInAWayOfItsOwnAreSaidToBeTheCpus) {
    TempDir folder;
    const char* draws[] = {"x = torch.randperm(3, device='cuda')", "x = torch.zeros(3, device='cuda')\nx.exponential_()",
                           "x = torch.nn.functional.dropout(torch.ones(3, device='cuda'))"};
    for (const char* draw : draws) {
        write_file(folder.path() / "t.py", std::string("import torch\n") + draw + "\nprint(x.shape)\n");
        const CommandResult built = build_for_shim(folder.path() / "t.py", folder.path() / "t");
        EXPECT_TRUE(built.exited(0)) << draw << "\n" << built.err;
        EXPECT_NE(built.err.find("[cuda-random]"), std::string::npos) << draw << "\n" << built.err;
    }
    write_file(folder.path() / "t.py", "import torch\nx = torch.randn(3).to('cuda')\nprint(x.shape)\n");
    EXPECT_EQ(build_for_shim(folder.path() / "t.py", folder.path() / "t").err, "");
}

/// Sums of whole numbers are exact in every order of the additions.
TEST(CudaPrograms, FloatsAtRepeatedIndicesAreAddedByAtomicsOnRequest) {
    TempDir folder;
    write_file(folder.path() / "t.py",
               "import torch\ni = torch.arange(9000) % 7\nx = torch.arange(9000.0)\n"
               "print(torch.zeros(7).index_add(0, i, x))\nprint(torch.zeros(7, dtype=torch.float64).scatter_add(0, i, x.double()))\n"
               "w = torch.ones(7, requires_grad=True)\n(w[i] * 2.0).sum().backward()\nprint(w.grad)\n");
    const std::string expected = "tensor([5783785., 5785071., 5786357., 5787643., 5788929., 5781215., 5782500.])\n";
    std::string in_order;
    for (const char* option : {"--stats", "--gpu-atomics"}) {
        const CommandResult built = build_for_shim(folder.path() / "t.py", folder.path() / "t", {option});
        ASSERT_TRUE(built.exited(0)) << built.err;
        const CommandResult ran = run_command({.argv = {(folder.path() / "t").string()}, .environment = shim_environment()});
        ASSERT_TRUE(ran.exited(0)) << ran.err;
        EXPECT_EQ(ran.out.substr(0, expected.size()), expected);
        if (in_order.empty()) in_order = ran.out;
        EXPECT_EQ(ran.out, in_order);
    }
    const CommandResult text = run_command({.argv = {SIFR_BINARY, "dump", "--stage=cuda", "--gpu-atomics", (folder.path() / "t.py").string()}});
    EXPECT_NE(text.out.find("atomicAdd(&"), std::string::npos) << text.out << text.err;
}

TEST(CudaPrograms, AKernelThatSpillsIsNamedWithItsLine) {
    TempDir folder;
    write_file(folder.path() / "t.py", "import torch\nx = torch.arange(4.0)\nprint(x.exp())\n");
    Command command{.argv = {SIFR_BINARY, "build", "--device=cuda", "--gpu-arch=sm_90", (folder.path() / "t.py").string(), "-o", (folder.path() / "t").string()},
                    .environment = shim_environment()};
    const CommandResult clean = run_command(command);
    ASSERT_TRUE(clean.exited(0)) << clean.err;
    EXPECT_EQ(clean.err, "");
    command.environment.push_back({"SIFR_TEST_NVRTC_LOG", "ptxas info    : Compiling entry function 'exp_kernel' for 'sm_90'\n"
                                                          "ptxas         .     16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"});
    const CommandResult spills = run_command(command);
    EXPECT_TRUE(spills.exited(0)) << spills.err;
    EXPECT_NE(spills.err.find("t.py:3:7: remark: the kernel 'exp' has more values than registers on sm_90: 12 bytes of them go through memory"), std::string::npos) << spills.err;
}

TEST(CudaPrograms, ABinaryNamesNoLibraryOfCuda) {
    TempDir folder;
    const fs::path program = folder.path() / "program";
    const CommandResult built = build_for_shim(fs::path(SIFR_TEST_DIR) / "../examples/zero_fill.py", program);
    ASSERT_TRUE(built.exited(0)) << built.err;
    const std::string bytes = read_file(program);
    // Of libraries it needs, the dynamic section's names, there is libc's and libm's at most; libcuda is a text that dlopen gets.
    const CommandResult needed = run_command({.argv = {"readelf", "-d", program.string()}});
    if (needed.exited(0)) {
        EXPECT_NE(needed.out.find("libc.so.6"), std::string::npos);
        EXPECT_EQ(needed.out.find("cuda"), std::string::npos) << needed.out;
        EXPECT_EQ(needed.out.find("nvrtc"), std::string::npos) << needed.out;
        EXPECT_EQ(needed.out.find("libstdc++"), std::string::npos) << needed.out;
    }
    EXPECT_NE(bytes.find("libcuda.so.1"), std::string::npos);
}

}  // namespace
}  // namespace sifr::test
