// What a call costs a C++ program: `ninja sifr-bench-host && bin/sifr-bench-host` in a release build. Prints the overhead of a call over the
// same loop in plain C++, traced and ahead of time; the first call's compile time; the memory after a million calls.

#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include <sifr/sifr.h>

#include "calls.h"
#include "tests/bench/measure.h"

namespace {

size_t resident_bytes() {
    std::ifstream f("/proc/self/statm");
    size_t all = 0, resident = 0;
    f >> all >> resident;
    return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

int main() {
    using bench::microseconds, bench::plain, bench::seconds;
    std::vector<float> x(16, 1), w(16, 1);
    auto step = sifr::jit([](sifr::Tensor x, sifr::Tensor w) { x.copy_(x * 0.5 + w); });
    auto fresh = sifr::jit([](sifr::Tensor x, sifr::Tensor w) { return x * 0.5 + w; });
    const sifr::TensorView xs = sifr::from_span(x), ws = sifr::from_span(w);

    double start = seconds();
    step(xs, ws);
    std::printf("first call, traced and compiled      %8.1f ms\n", (seconds() - start) * 1e3);
    fresh(xs, ws);

    const double c = microseconds([&] { plain(x.data(), w.data()); });
    std::printf("plain C++ call                       %8.3f us\n", c);
    std::printf("traced, in place: overhead           %8.3f us\n", microseconds([&] { step(xs, ws); }) - c);
    std::printf("traced, with a result: overhead      %8.3f us\n", microseconds([&] { fresh(xs, ws); }) - c);

    calls_context* context = calls_context_new(nullptr);
    std::printf("ahead of time: overhead              %8.3f us\n", microseconds([&] { calls_step(context, x.data(), w.data()); }) - c);
    std::printf("ahead of time: the library           %8.1f KB, of which the program takes what it needs\n", static_cast<double>(std::filesystem::file_size(SIFR_CALLS_LIBRARY)) / 1e3);
    std::printf("ahead of time: as a shared library   %8.1f KB\n", static_cast<double>(std::filesystem::file_size(SIFR_CALLS_SHARED)) / 1e3);

    const size_t used = mallinfo2().uordblks, resident = resident_bytes();
    for (int k = 0; k < 1000000; ++k) step(xs, ws), fresh(xs, ws), calls_step(context, x.data(), w.data());
    std::printf("a million calls more: allocated      %+8ld bytes, resident %+ld bytes\n", static_cast<long>(mallinfo2().uordblks) - static_cast<long>(used),
                static_cast<long>(resident_bytes()) - static_cast<long>(resident));
    calls_context_free(context);
}
