#pragma once

#include "runtime/internal.h"
#include "runtime/random_kernels.h"

/// The state of mt19937, and what PyTorch's generator holds beside it.
struct sifr_generator {
    uint32_t state[sifr::rt::mt_words];
    int32_t at;         ///< words of `state` that are used up
    int32_t has_normal; ///< is there a cached normal sample?
    double normal;      ///< the second one of the last pair
    uint64_t seed;
    uint64_t offset;    ///< of a generator of torch.cuda: how far its sequences are
    int32_t is_philox;  ///< torch.cuda's; `state` is not used then
};

namespace sifr::rt {

// random_philox.cpp: what the draws are where the generator is torch.cuda's.
/// Blocks of 256 threads that run on the GPU at once; the order of large draws depends on it.
extern int64_t philox_blocks;
void philox_uniform(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, double from, double to);
void philox_normal(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, double mean, double std);
void philox_range(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, int64_t low, int64_t high);
void philox_bernoulli(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, double p);
void philox_bernoulli_tensor(sifr_generator* g, const sifr_tensor* out, const sifr_tensor* p);

/// The generator of the context whose function runs on this thread; null when none does.
sifr_generator* context_generator();

uint32_t draw_u32(sifr_generator* g);
inline uint64_t draw_u64(sifr_generator* g) {
    const uint64_t high = draw_u32(g);
    return high << 32 | draw_u32(g);
}
/// 24 random bits in [0, 1).
inline float draw_f32(sifr_generator* g) {
    return static_cast<float>(draw_u32(g) & 0xFFFFFF) * 0x1p-24f;
}
/// 53 random bits in [0, 1).
inline double draw_f64(sifr_generator* g) {
    return static_cast<double>(draw_u64(g) & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
}
/// A normal sample of the scalar path: one of a pair, the other is kept.
double draw_normal(sifr_generator* g, double mean, double std);
/// The next `count` outputs.
void draw_words(sifr_generator* g, uint32_t* to, int64_t count);

/// The axes of a fill, innermost last, in the order in which PyTorch's iterator walks a tensor with these strides.
struct FillOrder {
    int32_t count = 0;
    int64_t sizes[max_dims];
    int64_t strides[max_dims];  ///< of `out`
    bool linear = false;        ///< the walk is `out`'s memory from front to back
    bool contiguous = false;    ///< are the script's strides those of a contiguous tensor?
};
FillOrder fill_order(const sifr_tensor& out, const int64_t* order);

/// Calls `write(offset)` for each element of `out` in that order.
template <class Write>
void fill_each(const sifr_tensor& out, const FillOrder& order, Write write) {
    const int64_t numel = sifr_tensor_numel(&out);
    if (order.linear) {
        for (int64_t k = 0; k < numel; ++k) write(k);
        return;
    }
    int64_t index[max_dims] = {};
    int64_t offset = 0;
    for (int64_t k = 0; k < numel; ++k) {
        write(offset);
        for (int32_t d = order.count - 1; d >= 0; --d) {
            offset += order.strides[d];
            if (++index[d] < order.sizes[d]) break;
            offset -= order.strides[d] * order.sizes[d];
            index[d] = 0;
        }
    }
}

}  // namespace sifr::rt
