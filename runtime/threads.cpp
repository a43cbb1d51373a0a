// The thread pool.
//
// Workers wait for the epoch to change: they spin for a short while, then sleep on a futex. A job is one function that every thread
// calls once with its number; loops are dealt out by `sifr_share`. The caller is thread 0 and waits until all others are done. One job
// runs at a time: a caller that finds the pool taken (another host thread, or a job of its own) runs alone, with the same results.

#include <errno.h>
#include <immintrin.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/internal.h"

using namespace sifr::rt;

namespace {

constexpr int32_t most_threads = 256;
constexpr int32_t spins_before_sleep = 4000;  // pauses: some tens of microseconds

using Job = void (*)(void* ctx, int32_t thread, int32_t threads);

struct Pool {
    // Written by the owner of `lock` only, between jobs.
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t workers[most_threads] = {};
    int32_t started = 0;  // workers that run
    pid_t process = 0;    // whose they are: a forked child has none
    int32_t wanted = 0;   // threads that work takes, with the caller; 0: not decided yet
    // The job. Published by the epoch.
    Job job = nullptr;
    void* ctx = nullptr;
    int32_t threads = 0;
    bool stop = false;
    alignas(64) uint32_t epoch = 0;
    alignas(64) uint32_t sleepers = 0;
    alignas(64) uint32_t unfinished = 0;
    uint32_t caller_sleeps = 0;
    // The barrier of a region.
    alignas(64) uint32_t arrived = 0;
    alignas(64) uint32_t phase = 0;
    alignas(64) uint32_t barrier_sleepers = 0;
};

Pool pool;

// Of the running job on this thread; 0: none.
thread_local int32_t region_threads = 0;

void futex_wait(uint32_t* word, uint32_t seen) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

void futex_wake_all(uint32_t* word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

/// Waits until *word is not `seen`. Sequentially consistent against `change_and_wake`: either the sleeper sees the change, or the
/// changer sees the sleeper.
void wait_for_change(uint32_t* word, uint32_t seen, uint32_t* sleepers) {
    for (int32_t k = 0; k < spins_before_sleep; ++k) {
        if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != seen) return;
        _mm_pause();
    }
    __atomic_fetch_add(sleepers, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) == seen) futex_wait(word, seen);
    __atomic_fetch_sub(sleepers, 1, __ATOMIC_SEQ_CST);
}

void change_and_wake(uint32_t* word, uint32_t* sleepers) {
    __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(sleepers, __ATOMIC_SEQ_CST) != 0) futex_wake_all(word);
}

void wait_until_finished() {
    for (int32_t k = 0; k < spins_before_sleep; ++k) {
        if (__atomic_load_n(&pool.unfinished, __ATOMIC_ACQUIRE) == 0) return;
        _mm_pause();
    }
    __atomic_store_n(&pool.caller_sleeps, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        const uint32_t left = __atomic_load_n(&pool.unfinished, __ATOMIC_SEQ_CST);
        if (left == 0) break;
        futex_wait(&pool.unfinished, left);
    }
    __atomic_store_n(&pool.caller_sleeps, 0, __ATOMIC_RELAXED);
}

struct WorkerStart {
    int32_t number;
    uint32_t epoch;
};
WorkerStart starts[most_threads];

void* worker(void* argument) {
    const WorkerStart start = *static_cast<WorkerStart*>(argument);
    uint32_t seen = start.epoch;
    for (;;) {
        wait_for_change(&pool.epoch, seen, &pool.sleepers);
        seen = __atomic_load_n(&pool.epoch, __ATOMIC_ACQUIRE);
        if (pool.stop) return nullptr;
        const int32_t threads = pool.threads;
        region_threads = threads;
        pool.job(pool.ctx, start.number, threads);
        region_threads = 0;
        // The caller may sleep on any value that it saw.
        __atomic_fetch_sub(&pool.unfinished, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&pool.caller_sleeps, __ATOMIC_SEQ_CST) != 0) futex_wake_all(&pool.unfinished);
    }
}

int32_t available_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    const int32_t count = CPU_COUNT(&set);
    return count < 1 ? 1 : count;
}

int32_t default_threads() {
    if (const char* text = getenv("SIFR_NUM_THREADS")) {
        int64_t value = 0;
        if (sifr_int_parse(c_str(text), 10, &value) == SIFR_OK && value >= 1) {
            return static_cast<int32_t>(value < most_threads ? value : most_threads);
        }
    }
    const int32_t cpus = available_cpus();
    return cpus < most_threads ? cpus : most_threads;
}

/// With the lock: starts the workers that are missing. Fewer threads than wanted may come of it (the process may start no more).
void start_workers() {
    if (pool.process != getpid()) {  // the first time, or in a forked child, which inherits no worker
        pool.process = getpid();
        pool.started = 0;
        pool.sleepers = pool.barrier_sleepers = 0;
        pool.unfinished = pool.caller_sleeps = 0;
    }
    while (pool.started < pool.wanted - 1) {
        const int32_t number = pool.started + 1;
        starts[number] = {number, __atomic_load_n(&pool.epoch, __ATOMIC_RELAXED)};
        if (pthread_create(&pool.workers[number], nullptr, worker, &starts[number]) != 0) return;
        ++pool.started;
    }
}

/// With the lock.
void stop_workers() {
    if (pool.started == 0 || pool.process != getpid()) return;
    pool.stop = true;
    change_and_wake(&pool.epoch, &pool.sleepers);
    for (int32_t k = 1; k <= pool.started; ++k) pthread_join(pool.workers[k], nullptr);
    pool.stop = false;
    pool.started = 0;
}

/// Runs the job on all threads; false when the pool is taken or there is nobody else.
bool run_on_all(Job job, void* ctx) {
    if (region_threads != 0 || sifr_num_threads() == 1) return false;
    if (pthread_mutex_trylock(&pool.lock) != 0) return false;
    start_workers();
    const int32_t threads = pool.started + 1;
    if (threads == 1) {
        pthread_mutex_unlock(&pool.lock);
        return false;
    }
    pool.job = job;
    pool.ctx = ctx;
    pool.threads = threads;
    __atomic_store_n(&pool.arrived, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&pool.unfinished, static_cast<uint32_t>(threads - 1), __ATOMIC_RELAXED);
    change_and_wake(&pool.epoch, &pool.sleepers);
    region_threads = threads;
    job(ctx, 0, threads);
    region_threads = 0;
    wait_until_finished();
    pthread_mutex_unlock(&pool.lock);
    return true;
}

struct Loop {
    void (*body)(void* ctx, int64_t begin, int64_t end);
    void* ctx;
    int64_t n;
    int64_t grain;
};

void run_share(void* argument, int32_t thread, int32_t threads) {
    const Loop& loop = *static_cast<Loop*>(argument);
    int64_t begin = 0;
    int64_t end = 0;
    sifr_share(loop.n, loop.grain, thread, threads, &begin, &end);
    if (begin < end) loop.body(loop.ctx, begin, end);
}

}  // namespace

extern "C" {

void sifr_share(int64_t n, int64_t grain, int32_t thread, int32_t threads, int64_t* begin, int64_t* end) {
    if (grain < 1) grain = 1;
    const int64_t units = n / grain + (n % grain != 0 ? 1 : 0);
    const int64_t each = units / threads;
    const int64_t more = units % threads;  // the first ones take one unit more
    const int64_t first = each * thread + (thread < more ? thread : more);
    const int64_t last = first + each + (thread < more ? 1 : 0);
    *begin = first >= units ? n : first * grain;
    *end = last >= units ? n : last * grain;
}

void sifr_parallel_for(void (*body)(void* ctx, int64_t begin, int64_t end), void* ctx, int64_t n, int64_t grain) {
    if (n <= 0) return;
    Loop loop = {body, ctx, n, grain};
    if (n <= grain || !run_on_all(run_share, &loop)) body(ctx, 0, n);
}

void sifr_parallel_region(void (*body)(void* ctx, int32_t thread, int32_t threads), void* ctx) {
    if (!run_on_all(body, ctx)) {
        const int32_t outer = region_threads;
        region_threads = 1;  // what is nested runs alone too, and its barriers wait for nobody
        body(ctx, 0, 1);
        region_threads = outer;
    }
}

void sifr_barrier(void) {
    const int32_t threads = region_threads;
    if (threads <= 1) return;
    const uint32_t phase = __atomic_load_n(&pool.phase, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&pool.arrived, 1, __ATOMIC_ACQ_REL) == static_cast<uint32_t>(threads)) {
        __atomic_store_n(&pool.arrived, 0, __ATOMIC_RELAXED);
        change_and_wake(&pool.phase, &pool.barrier_sleepers);
        return;
    }
    wait_for_change(&pool.phase, phase, &pool.barrier_sleepers);
}

int32_t sifr_num_threads(void) {
    int32_t wanted = __atomic_load_n(&pool.wanted, __ATOMIC_RELAXED);
    if (wanted == 0) {
        wanted = default_threads();
        __atomic_store_n(&pool.wanted, wanted, __ATOMIC_RELAXED);
    }
    return wanted;
}

void sifr_set_num_threads(int32_t n) {
    if (n < 1) n = 1;
    if (n > most_threads) n = most_threads;
    pthread_mutex_lock(&pool.lock);
    if (n - 1 < pool.started) stop_workers();
    __atomic_store_n(&pool.wanted, n, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&pool.lock);
}

void sifr_threads_stop(void) {
    pthread_mutex_lock(&pool.lock);
    stop_workers();
    pthread_mutex_unlock(&pool.lock);
}

}  // extern "C"
