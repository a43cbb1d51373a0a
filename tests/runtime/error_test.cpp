// Exceptions, warnings and output, in a process of their own and under a host's hooks.

#include <csetjmp>
#include <cstdlib>

#include <unistd.h>

#include "tests/runtime/support.h"

using namespace sifr::test;

namespace {

struct Host {
    std::string out, err, raised;
    std::jmp_buf back;
};

sifr_host_hooks hooks_of(Host& host) {
    sifr_host_hooks hooks = {};
    hooks.user = &host;
    hooks.write_stdout = [](void* user, const char* data, int64_t size) {
        static_cast<Host*>(user)->out.append(data, static_cast<size_t>(size));
    };
    hooks.write_stderr = [](void* user, const char* data, int64_t size) {
        static_cast<Host*>(user)->err.append(data, static_cast<size_t>(size));
    };
    hooks.raise = [](void* user, const char* type, sifr_str message, const char* file, int32_t line) {
        Host* host = static_cast<Host*>(user);
        host->raised = std::string(type) + ": " + string_of(message) + " at " + (file != nullptr ? file : "?") + ":" + std::to_string(line);
        std::longjmp(host->back, 1);
    };
    hooks.exit = [](void* user, int32_t code) {
        Host* host = static_cast<Host*>(user);
        host->raised = "exit " + std::to_string(code);
        std::longjmp(host->back, 1);
    };
    return hooks;
}

}  // namespace

TEST(Raise, PrintsPlaceAndTypeAndExitsWith1) {
    EXPECT_EXIT(sifr_raise("ValueError", text("bad input"), "t.py", 5), testing::ExitedWithCode(1),
                "^  File \"t.py\", line 5\nValueError: bad input\n$");
    EXPECT_EXIT(sifr_raise("AssertionError", {}, nullptr, 0), testing::ExitedWithCode(1), "^AssertionError\n$");
    EXPECT_EXIT(sifr_exit(7), testing::ExitedWithCode(7), "");
    EXPECT_EXIT(sifr_fatal(text("no space")), testing::ExitedWithCode(3), "^sifr: error: no space\n$");
}

TEST(Raise, WhatWasPrintedBeforeComesFirst) {
    EXPECT_EXIT(
        {
            dup2(2, 1);  // stdout and stderr in one stream, to see the order
            sifr_print(text("before\n"));
            sifr_raise("RuntimeError", text("after"), nullptr, 0);
        },
        testing::ExitedWithCode(1), "^before\nRuntimeError: after\n$");
}

TEST(Raise, AHostGetsOutputAndExceptions) {
    Host host;
    const sifr_host_hooks hooks = hooks_of(host);
    sifr_set_host_hooks(&hooks);
    sifr_print(text("hello\n"));
    sifr_print_stderr(text("oops\n"));
    int64_t out = 0;
    ASSERT_EQ(sifr_i64_mod(1, 0, &out), SIFR_ZERO_DIVISION_ERROR);
    if (setjmp(host.back) == 0) sifr_raise_pending("t.py", 3);
    EXPECT_EQ(host.raised, "ZeroDivisionError: integer modulo by zero at t.py:3");
    if (setjmp(host.back) == 0) sifr_exit(4);
    sifr_set_host_hooks(nullptr);
    EXPECT_EQ(host.raised, "exit 4");
    EXPECT_EQ(host.out, "hello\n");
    EXPECT_EQ(host.err, "oops\n");
}

TEST(Warn, OncePerPlaceAndText) {
    Host host;
    const sifr_host_hooks hooks = hooks_of(host);
    sifr_set_host_hooks(&hooks);
    sifr_warnings_reset();
    for (int k = 0; k < 3; ++k) {
        sifr_warn("UserWarning", text("slow"), "t.py", 5);
        sifr_warn("UserWarning", text("slow"), "t.py", 6);
    }
    sifr_warn("FutureWarning", text("slow"), "t.py", 5);
    sifr_set_host_hooks(nullptr);
    EXPECT_EQ(host.err, "t.py:5: UserWarning: slow\nt.py:6: UserWarning: slow\nt.py:5: FutureWarning: slow\n");
}

TEST(Program, AMissingCpuFeatureEndsItBeforeAnyWork) {
    sifr_program_info info = {sizeof(sifr_program_info), SIFR_RUNTIME_ABI, ~sifr_cpu_features() & SIFR_CPU_AVX512FP16, "t.py"};
    if (info.required_features == 0) GTEST_SKIP() << "this CPU has every feature that the test could ask for";
    EXPECT_EXIT(sifr_program_start(0, nullptr, &info), testing::ExitedWithCode(3), "needs a CPU with avx512fp16");
}

TEST(Program, ArgumentsAreDynamicStrings) {
    const char* argv[] = {"./train", "7", "x"};
    sifr_set_argv(3, argv);
    EXPECT_EQ(sifr_argc(), 3);
    sifr_str out = {};
    EXPECT_EQ(result(sifr_argv(-1, &out), out), "x");
    EXPECT_EQ(result(sifr_argv(3, &out), out), "IndexError: list index out of range");
    sifr_set_script_name("train.py");
    EXPECT_EQ(result(sifr_argv(0, &out), out), "train.py");
}

TEST(System, TheEnvironmentAndTheClock) {
    setenv("SIFR_TEST_VARIABLE", "héllo", 1);
    sifr_str out = {};
    ASSERT_TRUE(sifr_getenv(text("SIFR_TEST_VARIABLE"), &out));
    EXPECT_EQ(string_of(out), "héllo");
    EXPECT_FALSE(sifr_getenv(text("SIFR_TEST_UNSET_VARIABLE"), &out));
    const double start = sifr_perf_counter();
    EXPECT_EQ(sifr_sleep(0.002), SIFR_OK);
    EXPECT_GE(sifr_perf_counter() - start, 0.002);
    EXPECT_EQ(sifr_sleep(-1), SIFR_VALUE_ERROR);
}

TEST(System, InputReadsLines) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(write(ends[1], "first\n\nlast", 11), 11);
    close(ends[1]);
    const int saved = dup(0);
    dup2(ends[0], 0);
    sifr_str out = {};
    EXPECT_EQ(result(sifr_input({}, &out), out), "first");
    EXPECT_EQ(result(sifr_input({}, &out), out), "");
    EXPECT_EQ(result(sifr_input({}, &out), out), "last");
    EXPECT_EQ(result(sifr_input({}, &out), out), "EOFError: EOF when reading a line");
    dup2(saved, 0);
}

TEST(Dump, WritesRawBitsLineByLine) {
    const std::string path = testing::TempDir() + "sifr_dump_test.txt";
    ASSERT_TRUE(sifr_dump_open(path.c_str()));
    OwnedTensor tensor(SIFR_F32, {2});
    tensor.set<float>({1.0f, -0.0f});
    sifr_dump_bits(text("x"), &tensor.view);
    sifr_dump_f64(text("loss"), 0.5);
    sifr_dump_i64(text("n"), -1);
    sifr_dump_open(nullptr);
    std::ifstream file(path);
    std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT_EQ(all, "x float32[2] 3f800000 80000000\nloss float64[] 3fe0000000000000\nn int64[] ffffffffffffffff\n");
}
