// The arena, and filling and copying memory.

#include <cpuid.h>
#include <immintrin.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <initializer_list>

#include "runtime/internal.h"

using namespace sifr::rt;

namespace {

constexpr int64_t huge_page = 2 * 1024 * 1024;

int64_t round_up(int64_t bytes, int64_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

/// How large ranges are cleared best, by CPU: measured. Past the last-level cache, non-temporal stores are 2.4 times as fast as memset on
/// Intel's servers since Sapphire Rapids, and slower on AMD's Zen 5, whose `rep stosb` avoids reading the lines by itself.
struct StreamRow {
    const char* vendor;
    uint32_t first_family;
    uint32_t last_family;
    bool stream_zeros;
};
constexpr StreamRow stream_rows[] = {
    {"AuthenticAMD", 0x1A, 0xFF, false},
    {"AuthenticAMD", 0x17, 0x19, true},
    {"GenuineIntel", 0x06, 0xFF, true},
};

bool zeros_are_streamed() {
    uint32_t a = 0;
    char vendor[13] = {};
    uint32_t words[3] = {};
    __get_cpuid(0, &a, &words[0], &words[2], &words[1]);
    memcpy(vendor, words, 12);
    uint32_t b = 0, c = 0, d = 0;
    __get_cpuid(1, &a, &b, &c, &d);
    uint32_t family = (a >> 8) & 15;
    if (family == 15) family += (a >> 20) & 0xFF;
    for (const StreamRow& row : stream_rows) {
        if (strcmp(row.vendor, vendor) == 0 && family >= row.first_family && family <= row.last_family) return row.stream_zeros;
    }
    return false;
}

int64_t last_level_cache() {
    for (const int name : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
        const long bytes = sysconf(name);
        if (bytes > 0) return bytes;
    }
    return 32 * 1024 * 1024;
}

/// Stores the 32-byte pattern over [to, to + bytes), past the caches when `stream`.
__attribute__((target("avx2"))) void store_pattern(char* to, int64_t bytes, const char* pattern, bool stream) {
    const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pattern));
    int64_t at = 0;
    if (stream) {
        // Up to the next 32-byte border one unaligned store, and from there the pattern turned by as much.
        const int64_t head = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(to) & 31);
        char turned[64];
        memcpy(turned, pattern, 32);
        memcpy(turned + 32, pattern, 32);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
        const __m256i rest = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(turned + head));
        for (at = head; at + 32 <= bytes; at += 32) _mm256_stream_si256(reinterpret_cast<__m256i*>(to + at), rest);
        _mm_sfence();
    } else {
        for (; at + 128 <= bytes; at += 128) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at), value);
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at + 32), value);
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at + 64), value);
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at + 96), value);
        }
    }
    for (; at < bytes; ++at) to[at] = pattern[at % 32];
}

}  // namespace

extern "C" {

void* sifr_arena_alloc(int64_t bytes) {
    // Asking for more than the machine has would succeed (pages are only there once they are touched), and end in a kill without a word.
    struct sysinfo machine;
    if (sysinfo(&machine) == 0) {
        const int64_t all = static_cast<int64_t>((machine.totalram + machine.totalswap) * machine.mem_unit);
        if (bytes > all) {
            Text message;
            message << "out of memory: the program needs " << bytes << " bytes for its tensors, and this machine has " << all;
            sifr_fatal(message.view());
        }
    }
    const int64_t size = round_up(bytes > 0 ? bytes : 1, huge_page);
    char* mapped = static_cast<char*>(
        mmap(nullptr, static_cast<size_t>(size + huge_page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (mapped == MAP_FAILED) {
        Text message;
        message << "out of memory: the program needs " << bytes << " bytes for its tensors";
        sifr_fatal(message.view());
    }
    const int64_t before = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(mapped) & static_cast<uintptr_t>(huge_page - 1));
    char* aligned = mapped + before;
    if (before > 0) munmap(mapped, static_cast<size_t>(before));
    if (before < huge_page) munmap(aligned + size, static_cast<size_t>(huge_page - before));
    madvise(aligned, static_cast<size_t>(size), MADV_HUGEPAGE);  // an advice: without it everything works, slower
    return aligned;
}

void sifr_arena_free(void* arena, int64_t bytes) {
    if (arena != nullptr) munmap(arena, static_cast<size_t>(round_up(bytes > 0 ? bytes : 1, huge_page)));
}

void sifr_zero_pages(void* data, int64_t bytes) {
    const int64_t page = sysconf(_SC_PAGESIZE);
    char* begin = static_cast<char*>(data);
    char* end = begin + bytes;
    char* first = reinterpret_cast<char*>(round_up(static_cast<int64_t>(reinterpret_cast<uintptr_t>(begin)), page));
    char* last = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(end) / static_cast<uintptr_t>(page) * static_cast<uintptr_t>(page));
    if (last <= first || madvise(first, static_cast<size_t>(last - first), MADV_DONTNEED) != 0) {
        if (bytes > 0) memset(data, 0, static_cast<size_t>(bytes));
        return;
    }
    memset(begin, 0, static_cast<size_t>(first - begin));
    memset(last, 0, static_cast<size_t>(end - last));
}

int64_t sifr_streaming_threshold(void) {
    static int64_t threshold = 0;  // computed once; two threads that both compute it agree
    int64_t known = __atomic_load_n(&threshold, __ATOMIC_RELAXED);
    if (known == 0) {
        known = last_level_cache();
        __atomic_store_n(&threshold, known, __ATOMIC_RELAXED);
    }
    return known;
}

void sifr_zero(void* data, int64_t bytes) {
    if (bytes <= 0) return;
    if (bytes > sifr_streaming_threshold()) {
        static int way = 0;  // 1: memset, 2: non-temporal stores
        int known = __atomic_load_n(&way, __ATOMIC_RELAXED);
        if (known == 0) {
            known = zeros_are_streamed() ? 2 : 1;
            __atomic_store_n(&way, known, __ATOMIC_RELAXED);
        }
        if (known == 2) {
            static const char zeros[32] = {};
            store_pattern(static_cast<char*>(data), bytes, zeros, true);
            return;
        }
    }
    memset(data, 0, static_cast<size_t>(bytes));
}

void sifr_fill(void* data, int64_t count, const void* element, int32_t element_size) {
    char pattern[32];
    for (int32_t at = 0; at < 32; at += element_size) memcpy(pattern + at, element, static_cast<size_t>(element_size));
    const int64_t bytes = count * element_size;
    bool one_byte = true;
    for (int32_t at = 1; at < 32; ++at) one_byte = one_byte && pattern[at] == pattern[0];
    if (one_byte && pattern[0] == 0) {
        sifr_zero(data, bytes);
    } else if (one_byte) {
        if (bytes > 0) memset(data, pattern[0], static_cast<size_t>(bytes));
    } else {
        store_pattern(static_cast<char*>(data), bytes, pattern, bytes > sifr_streaming_threshold());
    }
}

void sifr_copy(void* to, const void* from, int64_t bytes) {
    if (bytes > 0) memcpy(to, from, static_cast<size_t>(bytes));
}

void* sifr_alloc(int64_t bytes) {
    return grow_memory(nullptr, static_cast<size_t>(bytes));
}

void sifr_free(void* data) {
    free(data);
}

}  // extern "C"
