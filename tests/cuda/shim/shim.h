// Makes the text of a kernel a C++ program for the CPU. The text itself stays as it is: this file stands in front of it, and a function for each
// kernel behind it. A block's threads are fibers of one thread: each runs until a barrier or its end, and then the next one. Their order changes
// from phase to phase and the order of blocks from launch to launch, so that a missing barrier or a race shows in the results.
#pragma once

// (Few headers: a test compiles hundreds of kernels.)
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

extern "C" {
float sqrtf(float), floorf(float), ceilf(float), truncf(float), rintf(float), fabsf(float), fmaf(float, float, float), fmodf(float, float), copysignf(float, float);
double sqrt(double), floor(double), ceil(double), trunc(double), rint(double), fabs(double), fma(double, double, double), fmod(double, double), copysign(double, double);
}
static inline float floor(float v) { return floorf(v); }
static inline float copysign(float v, float sign) { return copysignf(v, sign); }

#define __global__
#define __device__ static inline
#define __shared__ static
#define __launch_bounds__(...)
#define __syncthreads() shim::barrier(__LINE__)

struct ShimIndex {
    unsigned x, y, z;
};
static ShimIndex threadIdx, blockIdx, blockDim, gridDim;

static inline float __int_as_float(int v) { float r; memcpy(&r, &v, 4); return r; }
static inline int __float_as_int(float v) { int r; memcpy(&r, &v, 4); return r; }
static inline double __longlong_as_double(long long v) { double r; memcpy(&r, &v, 8); return r; }
static inline long long __double_as_longlong(double v) { long long r; memcpy(&r, &v, 8); return r; }
static inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<uint64_t>(a) * b) >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64); }
static inline void __threadfence() {}
template <class T> static inline T atomicCAS(T* p, T expected, T wanted) {
    const T old = *p;
    if (old == expected) *p = wanted;
    return old;
}
template <class T> static inline T atomicAdd(T* p, T v) {
    const T old = *p;
    *p = static_cast<T>(static_cast<unsigned long long>(old) + static_cast<unsigned long long>(v));
    return old;
}
template <class T> static inline T add_float(T* p, T v) {
    const T old = *p;
    *p = old + v;
    return old;
}
static inline float atomicAdd(float* p, float v) { return add_float(p, v); }
static inline double atomicAdd(double* p, double v) { return add_float(p, v); }
template <class T> static inline T atomicMax(T* p, T v) {
    const T old = *p;
    *p = old < v ? v : old;
    return old;
}
template <class T> static inline T atomicMin(T* p, T v) {
    const T old = *p;
    *p = v < old ? v : old;
    return old;
}
template <class T> static inline T atomicExch(T* p, T v) {
    const T old = *p;
    *p = v;
    return old;
}

namespace shim {

constexpr size_t stack_bytes = 256 << 10;

struct Fiber {
    jmp_buf place;  // where it goes on
    char* stack;    // null until its first turn; it serves block after block
    bool done;
    int line;  // of the barrier that it waits at
};
constexpr unsigned most_threads = 1024;
static Fiber fibers[most_threads];
static jmp_buf scheduler;
static unsigned current;
static bool in_fiber;
static void (*entry)(void*);
static void* entry_argument;
static uint32_t dice = 12345;

static inline uint32_t roll() { return dice = dice * 1664525u + 1013904223u; }

[[noreturn]] static inline void broken(const char* what) {
    fprintf(stderr, "shim: %s\n", what);
    abort();
}

// Jumps, as switching contexts asks the kernel for the signal mask each time.
static void leave() {
    if (_setjmp(fibers[current].place) == 0) _longjmp(scheduler, 1);
}

static inline void barrier(int line) {
    if (!in_fiber) broken("a barrier in a kernel that was said to have none");
    fibers[current].line = line;
    leave();
}

static void fiber_main() {
    for (;;) {
        entry(entry_argument);
        fibers[current].done = true;
        leave();
    }
}

// Until its next barrier, or its end.
static void resume(Fiber& f) {
    if (_setjmp(scheduler) != 0) return;
    if (f.stack) _longjmp(f.place, 1);
    f.stack = static_cast<char*>(malloc(stack_bytes));
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = f.stack;
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link = nullptr;
    makecontext(&context, fiber_main, 0);
    setcontext(&context);
}

// Every thread of the block gives its word, and behind the barrier takes another's of its warp. Two turns at a time are on the way: a thread may be in
// the next one while another still reads.
static unsigned given[2][most_threads];
static unsigned turns[most_threads];

static inline unsigned exchange(unsigned word, unsigned from) {
    const unsigned me = current, turn = turns[me]++ & 1;
    given[turn][me] = word;
    barrier(-1);
    return given[turn][from % 32 == from ? me / 32 * 32 + from : me];
}

static void run_block(unsigned threads, bool barriers) {
    if (!barriers) {
        in_fiber = false;
        const unsigned turn = roll() >> 8;
        for (unsigned t = 0; t < threads; ++t) {
            threadIdx.x = (t + turn) % threads;
            entry(entry_argument);
        }
        return;
    }
    in_fiber = true;
    for (unsigned t = 0; t < threads; ++t) {
        fibers[t].done = false;
        turns[t] = 0;
    }
    for (bool running = true; running;) {
        running = false;
        const unsigned turn = roll() >> 8;
        const bool backwards = roll() >> 31;
        unsigned ended = 0;
        for (unsigned k = 0; k < threads; ++k) {
            const unsigned step = (k + turn) % threads;
            current = backwards ? threads - 1 - step : step;
            if (fibers[current].done) broken("a thread ended while others went on to a barrier");
            threadIdx.x = current;
            resume(fibers[current]);
            ended += fibers[current].done;
        }
        if (ended != 0 && ended != threads) broken("a barrier that not all threads come to");
        running = ended == 0;
        for (unsigned t = 1; running && t < threads; ++t)
            if (fibers[t].line != fibers[0].line) broken("threads wait at different barriers");
    }
}

template <unsigned... I> struct Numbers {};
template <unsigned n, unsigned... I> struct Count : Count<n - 1, n - 1, I...> {};
template <unsigned... I> struct Count<0, I...> { using Type = Numbers<I...>; };
template <class T> struct Plain { using Type = T; };
template <class T> struct Plain<const T> { using Type = T; };

template <class... Parameters, unsigned... I>
void launch(void (*kernel)(Parameters...), bool barriers, void** params, unsigned grid, unsigned block, Numbers<I...>) {
    auto body = [&] { kernel(*static_cast<typename Plain<Parameters>::Type*>(params[I])...); };
    entry_argument = &body;
    entry = [](void* p) { (*static_cast<decltype(body)*>(p))(); };
    gridDim = {grid, 1, 1};
    blockDim = {block, 1, 1};
    const unsigned turn = roll() >> 8;
    for (unsigned b = 0; b < grid; ++b) {
        blockIdx = {(b + turn) % grid, 0, 0};
        run_block(block, barriers);
    }
}
template <class... Parameters>
void launch(void (*kernel)(Parameters...), bool barriers, void** params, unsigned grid, unsigned block) {
    launch(kernel, barriers, params, grid, block, typename Count<sizeof...(Parameters)>::Type());
}
template <class... Parameters>
constexpr int parameter_count(void (*)(Parameters...)) { return sizeof...(Parameters); }

}  // namespace shim

static inline unsigned __shfl_down_sync(unsigned, unsigned word, int by) { return shim::exchange(word, threadIdx.x % 32 + static_cast<unsigned>(by)); }
static inline unsigned __shfl_sync(unsigned, unsigned word, int from) { return shim::exchange(word, static_cast<unsigned>(from)); }

#define SHIM_KERNEL(name, barriers)                                                                                                         \
    extern "C" void shim_launch_##name(void** params, unsigned grid, unsigned block) { shim::launch(&name, barriers, params, grid, block); } \
    extern "C" int shim_count_##name() { return shim::parameter_count(&name); }
