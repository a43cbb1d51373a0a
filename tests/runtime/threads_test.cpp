// The thread pool; this file is also what the thread sanitizer runs.

#include <atomic>
#include <thread>

#include "tests/runtime/support.h"

using namespace sifr::test;

namespace {

struct Counts {
    std::vector<int> seen;
    std::atomic<int> calls{0};
};

void count_range(void* ctx, int64_t begin, int64_t end) {
    Counts& counts = *static_cast<Counts*>(ctx);
    ++counts.calls;
    for (int64_t k = begin; k < end; ++k) ++counts.seen[static_cast<size_t>(k)];
}

class Threads : public testing::Test {
protected:
    void TearDown() override {
        sifr_threads_stop();
        sifr_set_num_threads(1);
    }
};

}  // namespace

TEST_F(Threads, EveryIndexIsVisitedOnce) {
    for (const int32_t threads : {1, 2, 3, 8}) {
        sifr_set_num_threads(threads);
        EXPECT_EQ(sifr_num_threads(), threads);
        for (const int64_t n : {0, 1, 7, 64, 1000}) {
            Counts counts;
            counts.seen.resize(static_cast<size_t>(n));
            sifr_parallel_for(count_range, &counts, n, 8);
            for (const int times : counts.seen) ASSERT_EQ(times, 1);
            EXPECT_LE(counts.calls, threads);
            if (n > 0 && n <= 8) {
                EXPECT_EQ(counts.calls, 1);
            }
        }
    }
}

TEST_F(Threads, SharesAreMultiplesOfTheGrainAndCoverAll) {
    for (const int64_t n : {0, 1, 5, 16, 17, 1000}) {
        for (const int64_t grain : {1, 4, 16, 5000}) {
            int64_t expected = 0;
            for (int32_t thread = 0; thread < 7; ++thread) {
                int64_t begin = 0, end = 0;
                sifr_share(n, grain, thread, 7, &begin, &end);
                EXPECT_EQ(begin, expected);
                EXPECT_GE(end, begin);
                EXPECT_TRUE(end == n || end % grain == 0);
                expected = end;
            }
            EXPECT_EQ(expected, n);
        }
    }
}

TEST_F(Threads, ManyJobsInARowSeeEachOthersWrites) {
    sifr_set_num_threads(4);
    std::vector<int64_t> values(256, 0);
    for (int pass = 0; pass < 500; ++pass) {
        sifr_parallel_for(
            [](void* ctx, int64_t begin, int64_t end) {
                auto& v = *static_cast<std::vector<int64_t>*>(ctx);
                for (int64_t k = begin; k < end; ++k) ++v[static_cast<size_t>(k)];
            },
            &values, 256, 16);
    }
    for (const int64_t value : values) ASSERT_EQ(value, 500);
}

TEST_F(Threads, BarriersOfARegionOrderItsSteps) {
    sifr_set_num_threads(4);
    struct Region {
        std::vector<int64_t> a = std::vector<int64_t>(64, 1);
        std::vector<int64_t> b = std::vector<int64_t>(64, 0);
    } region;
    sifr_parallel_region(
        [](void* ctx, int32_t thread, int32_t threads) {
            Region& r = *static_cast<Region*>(ctx);
            int64_t begin = 0, end = 0;
            sifr_share(64, 1, thread, threads, &begin, &end);
            for (int step = 0; step < 500; ++step) {
                for (int64_t k = begin; k < end; ++k) r.b[static_cast<size_t>(k)] = r.a[static_cast<size_t>((k + 17) % 64)] + 1;
                sifr_barrier();
                for (int64_t k = begin; k < end; ++k) r.a[static_cast<size_t>(k)] = r.b[static_cast<size_t>((k + 31) % 64)];
                sifr_barrier();
            }
        },
        &region);
    for (const int64_t value : region.a) ASSERT_EQ(value, 501);
}

TEST_F(Threads, NestedWorkRunsOnTheThreadThatAsksForIt) {
    sifr_set_num_threads(3);
    std::atomic<int> inner{0};
    sifr_parallel_for(
        [](void* ctx, int64_t begin, int64_t end) {
            for (int64_t k = begin; k < end; ++k) {
                sifr_parallel_region(
                    [](void* count, int32_t thread, int32_t threads) {
                        EXPECT_EQ(thread, 0);
                        EXPECT_EQ(threads, 1);
                        sifr_barrier();
                        ++*static_cast<std::atomic<int>*>(count);
                    },
                    ctx);
            }
        },
        &inner, 30, 1);
    EXPECT_EQ(inner, 30);
}

TEST_F(Threads, TwoHostThreadsMayWorkAtTheSameTime) {
    sifr_set_num_threads(3);
    const auto work = [] {
        for (int pass = 0; pass < 300; ++pass) {
            Counts counts;
            counts.seen.resize(100);
            sifr_parallel_for(count_range, &counts, 100, 1);
            for (const int times : counts.seen) ASSERT_EQ(times, 1);
        }
    };
    std::thread other(work);
    work();
    other.join();
}

TEST_F(Threads, TheyStopAndStartAgain) {
    for (int pass = 0; pass < 20; ++pass) {
        sifr_set_num_threads(1 + pass % 4);
        Counts counts;
        counts.seen.resize(100);
        sifr_parallel_for(count_range, &counts, 100, 1);
        for (const int times : counts.seen) ASSERT_EQ(times, 1);
        if (pass % 5 == 0) sifr_threads_stop();
    }
}
