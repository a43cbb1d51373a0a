// The calls of the driver: in which order they come, what is said of each that fails, and what a machine lacks.

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cuda/shim_programs.h"
#include "tests/support/golden.h"

namespace sifr::test {
namespace {

namespace fs = std::filesystem;

/// A program that launches, fills, copies, checks, draws, prints and loops.
constexpr const char* script = R"(import torch
torch.manual_seed(0)
w = torch.randn(300, 40)
index = torch.tensor([1, 2, 5])
total = 0.0
for step in range(6):
    y = torch.relu(w * (step + 1.0)).sum(dim=1)
    w.mul_(0.5)
    total = total + y[index].sum().item()
    print(step, f"{total:.3f}")
for step in range(5):
    w.add_(0.25 * step)
    w.mul_(0.5)
print(f"{w.mean().item():.4f}")
b = torch.full((3,), 7, dtype=torch.int64)
print(b)
)";

class CudaDriver : public ::testing::Test {
protected:
    /// Once for all tests.
    static const fs::path& program() {
        static TempDir folder;
        static const fs::path path = [&] {
            write_file(folder.path() / "t.py", script);
            fs::path p = folder.path() / "program";
            const CommandResult built = build_for_shim(folder.path() / "t.py", p);
            EXPECT_TRUE(built.exited(0)) << built.err;
            return p;
        }();
        return path;
    }
    static CommandResult run(const std::string& words, const fs::path& log = {}) {
        Environment more;
        if (!words.empty()) more.push_back({"SIFR_TEST_CUDA", words});
        if (!log.empty()) more.push_back({"SIFR_TEST_CUDA_LOG", log.string()});
        return run_command({.argv = {program().string()}, .environment = shim_environment(more)});
    }
    static std::vector<std::string> calls(const fs::path& log) {
        std::vector<std::string> all;
        std::istringstream lines(read_file(log));
        for (std::string line; std::getline(lines, line);) all.push_back(line);
        return all;
    }
};

TEST_F(CudaDriver, WorkGoesInOrderAndEverythingIsGivenBack) {
    TempDir folder;
    const fs::path log = folder.path() / "log";
    const CommandResult r = run("", log);
    ASSERT_TRUE(r.exited(0)) << r.err;
    std::map<std::string, int> count;
    const auto all = calls(log);
    for (const std::string& line : all) {
        EXPECT_FALSE(line.starts_with("INVALID")) << line;
        ++count[line.substr(0, line.find(' '))];
    }
    EXPECT_EQ(all.front(), "cuInit");
    EXPECT_EQ(all.back(), "cuDevicePrimaryCtxRelease");
    EXPECT_EQ(count["cuMemAllocAsync"], 1) << "all memory of the device is one piece";
    EXPECT_EQ(count["cuMemFreeAsync"], 1);
    EXPECT_EQ(count["cuMemHostAlloc"], count["cuMemFreeHost"]);
    EXPECT_EQ(count["cuModuleLoadData"], count["cuModuleUnload"]);
    EXPECT_EQ(count["cuStreamCreate"], count["cuStreamDestroy"]);
    EXPECT_EQ(count["cuGraphInstantiateWithFlags"], count["cuGraphExecDestroy"]);
    EXPECT_EQ(count["cuStreamEndCapture"], count["cuGraphDestroy"]);
}

TEST_F(CudaDriver, LoopsReplayGraphs) {
    TempDir folder;
    const fs::path log = folder.path() / "log";
    ASSERT_TRUE(run("", log).exited(0));
    int graphs = 0, replays = 0;
    for (const std::string& line : calls(log)) {
        graphs += line.starts_with("cuGraphInstantiateWithFlags");
        replays += line.starts_with("cuGraphLaunch");
    }
    EXPECT_GE(graphs, 1);
    EXPECT_GT(replays, graphs) << "a graph that is launched once was not worth making";
}

/// The wave equation: buffers change their roles from step to step. Nothing is copied; each arrangement of the buffers has a graph of its own.
TEST_F(CudaDriver, BuffersThatRotateHaveAGraphForEachRotation) {
    const struct {
        const char* change;
        int rotations;
        const char* sum;
    } cases[] = {{"u_next - u", 2, "18.6913"},        // what was `u_prev` is written over
                 {"u_next - u_prev", 3, "59.9163"}};  // it is read once more: three buffers
    for (const auto& c : cases) {
        TempDir folder;
        write_file(folder.path() / "t.py",
                   fmt::format("import torch\nn = 41\nu_prev = torch.zeros(n)\nu_prev[n // 2] = 1.0\nu = u_prev.clone()\nchange = torch.zeros(1)\nfor step in range(60):\n"
                               "    u_next = torch.zeros(n)\n    u_next[1:-1] = 2 * u[1:-1] - u_prev[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])\n"
                               "    change += (({}) ** 2).sum()\n    u_prev, u = u, u_next\nprint(u[:5], change)\n",
                               c.change));
        const CommandResult built = build_for_shim(folder.path() / "t.py", folder.path() / "t");
        ASSERT_TRUE(built.exited(0)) << built.err;
        const fs::path log = folder.path() / "log";
        const CommandResult r = run_command({.argv = {(folder.path() / "t").string()}, .environment = shim_environment({{"SIFR_TEST_CUDA_LOG", log.string()}})});
        ASSERT_TRUE(r.exited(0)) << r.err;
        EXPECT_EQ(r.out, fmt::format("tensor([ 0.0000,  0.1420, -0.0523, -0.0586, -0.0197]) tensor([{}])\n", c.sum));
        std::map<std::string, int> count;
        for (const std::string& line : calls(log)) ++count[line.substr(0, line.find(' '))];
        EXPECT_EQ(count["cuGraphInstantiateWithFlags"], c.rotations);
        // The first step of each rotation is launched, and one may stand in front of the loop.
        EXPECT_GE(count["cuGraphLaunch"], 60 - c.rotations - 1);
        EXPECT_LE(count["cuMemcpyDtoDAsync"], 1) << "in front of the loop";
    }
}

/// Each call of the program fails once, in its turn.
TEST_F(CudaDriver, EachCallThatFailsIsNamed) {
    TempDir folder;
    const fs::path log = folder.path() / "log";
    ASSERT_TRUE(run("", log).exited(0));
    std::map<std::string, int> count;
    for (const std::string& line : calls(log)) ++count[line.substr(0, line.find(' '))];
    EXPECT_GE(count.size(), 25u);
    for (const auto& [call, times] : count) {
        for (int number : std::set<int>{1, (times + 1) / 2, times}) {
            const CommandResult r = run(fmt::format("fail={}:{}", call, number));
            EXPECT_TRUE(r.exited(3)) << call << " " << number << ": " << r.how_it_ended() << "\n" << r.err;
            if (call == "cuMemGetInfo") continue;
            EXPECT_NE(r.err.find(call), std::string::npos) << call << ": " << r.err;
            EXPECT_NE(r.err.find("CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"), std::string::npos) << call << ": " << r.err;
            EXPECT_EQ(r.err.find("terminate"), std::string::npos);
        }
    }
}

TEST_F(CudaDriver, AFailedLaunchNamesKernelAndLine) {
    const CommandResult r = run("fail=cuLaunchKernel:1");
    EXPECT_NE(r.err.find("kernel '"), std::string::npos) << r.err;
    EXPECT_NE(r.err.find("t.py"), std::string::npos) << r.err;
}

TEST_F(CudaDriver, WhatIsMissingIsSaidBeforeAnyWork) {
    const struct {
        const char* words;
        const char* text;
    } machines[] = {
        {"devices=0", "the driver finds none"},
        {"version=11080", "driver is too old: it supports CUDA 11.8, and this program needs 12.0"},
        {"arch=75", "no code for this GPU (Shim, sm_75); it has sm_90, PTX for sm_90 and newer; build it with --gpu-arch=sm_75"},
        {"memory=1000", "out of memory on the GPU: the program needs "},
    };
    for (const auto& m : machines) {
        const CommandResult r = run(m.words);
        EXPECT_TRUE(r.exited(3)) << m.words << ": " << r.how_it_ended();
        EXPECT_EQ(r.out, "") << m.words;
        EXPECT_NE(r.err.find(m.text), std::string::npos) << m.words << ": " << r.err;
    }
    const CommandResult memory = run("memory=1000");
    EXPECT_NE(memory.err.find("bytes, and 1000 of 1000 are free"), std::string::npos) << memory.err;
}

TEST_F(CudaDriver, NewerGpusRunThePtx) {
    EXPECT_TRUE(run("arch=121").exited(0));
    EXPECT_TRUE(run("arch=90").exited(0));
}

TEST_F(CudaDriver, AMachineWithoutADriverSaysSo) {
    // The stand-in is not found where the machine's own libraries lie; a real driver may be.
    const CommandResult r = run_command({.argv = {program().string()}, .environment = {{"LD_LIBRARY_PATH", "/nowhere"}}});
    if (r.err.find("has no driver") == std::string::npos) GTEST_SKIP() << "this machine has a driver";
    EXPECT_TRUE(r.exited(3)) << r.how_it_ended();
    EXPECT_EQ(r.out, "");
    EXPECT_NE(r.err.find("this machine has no driver for one: libcuda.so.1"), std::string::npos) << r.err;
}

TEST_F(CudaDriver, WithoutNvrtcABuildSaysWhatWasTried) {
    TempDir folder;
    write_file(folder.path() / "t.py", "import torch\nprint(torch.zeros(3))\n");
    const CommandResult r = run_command({.argv = {SIFR_BINARY, "build", "--device=cuda", (folder.path() / "t.py").string(), "-o", (folder.path() / "t").string()},
                                         .environment = {{"SIFR_NVRTC", "/nowhere/libnvrtc.so"}}});
    EXPECT_TRUE(r.exited(3)) << r.how_it_ended();
    EXPECT_NE(r.err.find("cannot be loaded from SIFR_NVRTC: /nowhere/libnvrtc.so"), std::string::npos) << r.err;
    EXPECT_FALSE(fs::exists(folder.path() / "t"));
}

TEST_F(CudaDriver, AnArchitectureThatNvrtcDoesNotKnowIsRefused) {
    TempDir folder;
    write_file(folder.path() / "t.py", "import torch\nprint(torch.zeros(3) + 1)\n");
    const CommandResult r = build_for_shim(folder.path() / "t.py", folder.path() / "t", {"--gpu-arch=sm_50"});
    EXPECT_TRUE(r.exited(3)) << r.how_it_ended();
    EXPECT_NE(r.err.find("--gpu-arch=sm_50 is not known to NVRTC 12.99, which compiles for sm_80, sm_90"), std::string::npos) << r.err;
}

TEST_F(CudaDriver, TheFirstOffenceOfAQueueIsRaised) {
    TempDir folder;
    write_file(folder.path() / "t.py",
               "import torch\nx = torch.arange(4.0)\ngood = torch.tensor([1, 2])\nbad = torch.tensor([3, 9])\nworse = torch.tensor([-7, 8])\n"
               "a = x[good]\nb = x[bad]\nc = x[worse]\nprint(a)\nprint('after')\nprint(b, c)\n");
    const CommandResult built = build_for_shim(folder.path() / "t.py", folder.path() / "t");
    ASSERT_TRUE(built.exited(0)) << built.err;
    const CommandResult r = run_command({.argv = {(folder.path() / "t").string()}, .environment = shim_environment()});
    EXPECT_TRUE(r.exited(1)) << r.how_it_ended();
    EXPECT_EQ(r.out, "");
    EXPECT_NE(r.err.find("line 7"), std::string::npos) << r.err;
    EXPECT_NE(r.err.find("IndexError: index 9 is out of bounds for dimension 0 with size 4"), std::string::npos) << r.err;
}

}  // namespace
}  // namespace sifr::test
