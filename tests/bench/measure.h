// What the measurements of calls share: the clock, and the plain C++ call that others are compared with.
#pragma once

#include <algorithm>
#include <chrono>

namespace bench {

inline double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Microseconds of one call, the best of several rounds.
template <class F>
double microseconds(F&& f, int calls = 20000) {
    double best = 1e9;
    for (int round = 0; round < 7; ++round) {
        const double start = seconds();
        for (int k = 0; k < calls; ++k) f();
        best = std::min(best, (seconds() - start) / calls * 1e6);
    }
    return best;
}

[[gnu::noinline]] inline void plain(float* x, const float* w) {
    for (int k = 0; k < 16; ++k) x[k] = x[k] * 0.5F + w[k];
    __asm__ volatile("" ::: "memory");
}

}  // namespace bench
