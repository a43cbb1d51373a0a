// A stack of memory for each thread: what a kernel needs while it runs. Blocks stay when they are given back, so that
// steady state takes nothing from the system.

#include <sys/mman.h>

#include "runtime/internal.h"

namespace sifr::rt {
namespace {

/// A stretch of memory; `used` is its stack pointer. Blocks are chained from the newest, which is at least as large as all before.
struct ScratchBlock {
    ScratchBlock* older;
    int64_t capacity;
    int64_t used;
};
constexpr int64_t header = 64;
static_assert(sizeof(ScratchBlock) <= header);
constexpr int64_t least_block = 1 << 20;

thread_local ScratchBlock* newest = nullptr;

ScratchBlock* add_block(int64_t bytes) {
    int64_t capacity = newest ? 2 * newest->capacity : least_block;
    while (capacity < bytes + header) capacity *= 2;
    auto* b = static_cast<ScratchBlock*>(sifr_arena_alloc(capacity));
    b->older = newest;
    b->capacity = capacity;
    b->used = header;
    return newest = b;
}

}  // namespace
}  // namespace sifr::rt

using sifr::rt::ScratchBlock;

void* sifr_scratch_take(int64_t bytes) {
    const int64_t rounded = (bytes + 63) & ~int64_t{63};
    ScratchBlock* b = sifr::rt::newest;
    if (!b || b->capacity - b->used < rounded) b = sifr::rt::add_block(rounded);
    char* p = reinterpret_cast<char*>(b) + b->used;
    b->used += rounded;
    return p;
}

void sifr_scratch_give(void* taken) {
    auto* p = static_cast<char*>(taken);
    ScratchBlock* b = sifr::rt::newest;
    // A block that a larger one follows is empty from then on as soon as all its takes are given back; it is dropped.
    while (p < reinterpret_cast<char*>(b) || p >= reinterpret_cast<char*>(b) + b->capacity) b = b->older;
    b->used = p - reinterpret_cast<char*>(b);
    for (ScratchBlock** link = &sifr::rt::newest->older; *link;) {
        ScratchBlock* old = *link;
        if (old->used == sifr::rt::header) {
            *link = old->older;
            sifr_arena_free(old, old->capacity);
        } else {
            link = &old->older;
        }
    }
}
