#include "tests/runtime/support.h"

using namespace sifr::test;

TEST(Memory, TheArenaIsAlignedAndZero) {
    for (const int64_t bytes : {int64_t{0}, int64_t{1}, int64_t{5} << 20}) {
        auto* arena = static_cast<unsigned char*>(sifr_arena_alloc(bytes));
        EXPECT_EQ(reinterpret_cast<uintptr_t>(arena) % (2 << 20), 0u);
        for (int64_t k = 0; k < bytes; k += 4096) ASSERT_EQ(arena[k], 0);
        sifr_arena_free(arena, bytes);
    }
}

TEST(Memory, AnArenaThatDoesNotFitEndsTheProgramWithItsSize) {
    EXPECT_EXIT(sifr_arena_alloc(int64_t{1} << 60), testing::ExitedWithCode(3), "needs 1152921504606846976 bytes");
}

TEST(Memory, ZeroPagesClearsExactlyTheRange) {
    const int64_t bytes = 1 << 20;
    auto* arena = static_cast<unsigned char*>(sifr_arena_alloc(bytes));
    for (const auto& [begin, end] : {std::pair<int64_t, int64_t>{100, 200}, {4096, 8192}, {5000, 300000}, {0, bytes}}) {
        std::memset(arena, 7, static_cast<size_t>(bytes));
        sifr_zero_pages(arena + begin, end - begin);
        int64_t wrong = 0;
        for (int64_t k = 0; k < bytes; ++k) wrong += arena[k] == (k >= begin && k < end ? 0 : 7) ? 0 : 1;
        EXPECT_EQ(wrong, 0) << begin << ' ' << end;
    }
    sifr_arena_free(arena, bytes);
}

TEST(Memory, FillsWriteThePatternAndNothingElse) {
    const int64_t big = sifr_streaming_threshold() + 12345;
    for (const int64_t bytes : {int64_t{0}, int64_t{16}, int64_t{48}, int64_t{1024 + 16}, big / 16 * 16}) {
        for (const int32_t size : {1, 2, 4, 8, 16}) {
            if (bytes > 4096 && size != 4 && size != 1) continue;
            std::vector<unsigned char> memory(static_cast<size_t>(bytes + 64), 0xEE);
            unsigned char element[16];
            for (int k = 0; k < 16; ++k) element[k] = static_cast<unsigned char>(k + 1);
            unsigned char* start = memory.data() + 9;  // no alignment is needed
            sifr_fill(start, bytes / size, element, size);
            ASSERT_EQ(start[-1], 0xEE);
            ASSERT_EQ(start[bytes], 0xEE);
            int64_t wrong = 0;
            for (int64_t k = 0; k < bytes; ++k) wrong += start[k] == k % size + 1 ? 0 : 1;
            ASSERT_EQ(wrong, 0) << bytes << ' ' << size;
            sifr_zero(start, bytes);
            ASSERT_EQ(start[-1], 0xEE);
            ASSERT_EQ(start[bytes], 0xEE);
            for (int64_t k = 0; k < bytes; ++k) wrong += start[k] == 0 ? 0 : 1;
            ASSERT_EQ(wrong, 0) << bytes << ' ' << size;
        }
    }
}
