// The streams of torch.cuda: Philox4x32-10, element by element as PyTorch's kernels deal their threads. A thread has a sequence of its own, takes four
// words at a time, and strides over the tensor; so the numbers of a large tensor depend on how many threads the GPU runs.
//
// Uniform numbers, integers and Bernoulli's are the published algorithm to the bit. Normal ones take a sine and a cosine from the GPU's own fast functions,
// whose last bits no document gives: here they are the host's, and agree to about six digits.

#include <math.h>

#include "runtime/random.h"
#include "runtime/sifr_cuda.h"

namespace sifr::rt {

int64_t philox_blocks = 132 * 8;

namespace {

constexpr int64_t block_threads = 256;

/// Ten rounds over counter {low, high, thread} with the seed as key.
void philox(uint64_t seed, uint64_t counter, uint64_t thread, uint32_t out[4]) {
    uint32_t c[4] = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), static_cast<uint32_t>(thread), static_cast<uint32_t>(thread >> 32)};
    uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
    for (int32_t round = 0; round < 10; ++round) {
        const uint64_t p = uint64_t{0xD2511F53} * c[0], q = uint64_t{0xCD9E8D57} * c[2];
        const uint32_t next[4] = {static_cast<uint32_t>(q >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(q), static_cast<uint32_t>(p >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p)};
        memcpy(c, next, sizeof c);
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    memcpy(out, c, sizeof c);
}

/// Where element `k` of the walk lies in memory.
int64_t place(const FillOrder& order, int64_t k) {
    if (order.linear) return k;
    int64_t offset = 0;
    for (int32_t d = order.count - 1; d >= 0; --d) {
        offset += k % order.sizes[d] * order.strides[d];
        k /= order.sizes[d];
    }
    return offset;
}

/// Calls write(offset, words, which) for each element, `each` of them from one group of four words, and moves the generator on.
template <class Write>
void deal(sifr_generator* g, const sifr_tensor& out, const int64_t* strides, int64_t each, Write write) {
    const int64_t n = sifr_tensor_numel(&out);
    if (n == 0) return;
    const FillOrder order = fill_order(out, strides);
    const int64_t needed = (n + block_threads - 1) / block_threads;
    const int64_t stride = block_threads * (needed < philox_blocks ? needed : philox_blocks);
    const int64_t turns = (n - 1) / (stride * each) + 1;
    for (int64_t turn = 0; turn < turns; ++turn) {
        for (int64_t thread = 0; thread < stride; ++thread) {
            const int64_t first = turn * stride * each + thread;
            if (first >= n) break;
            uint32_t words[4];
            philox(g->seed, g->offset / 4 + static_cast<uint64_t>(turn), static_cast<uint64_t>(thread), words);
            for (int64_t k = 0; k < each && first + k * stride < n; ++k) write(place(order, first + k * stride), words, static_cast<int32_t>(k));
        }
    }
    g->offset += static_cast<uint64_t>(turns) * 4;
}

/// In (0, 1].
float unit_f32(uint32_t word) { return static_cast<float>(word) * 0x1p-32f + 0x1p-33f; }
double unit_f64(const uint32_t* words, int32_t which) {
    const uint64_t z = uint64_t{words[2 * which]} ^ uint64_t{words[2 * which + 1]} << 21;
    return static_cast<double>(z) * 0x1p-53 + 0x1p-54;
}

double rounded(int32_t dtype, double value) {
    uint64_t bits = 0;
    store_f64_at(&bits, dtype, 0, value);
    return load_f64_at(&bits, dtype, 0);
}

/// Both normal numbers of a pair of words; `which` says which.
float normal_f32(const uint32_t* words, int32_t which) {
    constexpr float turn = 0x1p-32f * 6.2831855f;
    const uint32_t* pair = words + which / 2 * 2;
    const float u = unit_f32(pair[0]), v = static_cast<float>(pair[1]) * turn + turn / 2;
    const float radius = sqrtf(-2.0f * logf(u));
    return (which % 2 == 0 ? sinf(v) : cosf(v)) * radius;
}
double normal_f64(const uint32_t* words, int32_t which) {
    const double u = unit_f64(words, 0);
    const uint64_t z = uint64_t{words[2]} ^ uint64_t{words[3]} << 21;
    const double v = (static_cast<double>(z) * 0x1p-52 + 0x1p-53) * 3.14159265358979323846;
    return (which == 0 ? sin(v) : cos(v)) * sqrt(-2.0 * log(u));
}

}  // namespace

void philox_uniform(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, double from, double to) {
    const int32_t t = out->dtype;
    if (t == SIFR_F64) {
        deal(g, *out, strides, 2, [&](int64_t at, const uint32_t* words, int32_t which) {
            const double value = fused(unit_f64(words, which), to - from, from);
            store_f64_at(out->data, t, at, value == to ? from : value);
        });
        return;
    }
    const auto low = static_cast<float>(rounded(t, from)), high = static_cast<float>(rounded(t, to));
    const auto range = static_cast<float>(rounded(t, high - low));
    deal(g, *out, strides, 4, [&](int64_t at, const uint32_t* words, int32_t which) {
        // From (0, 1] to [from, to).
        store_f64_at(out->data, t, at, __builtin_fmaf(unit_f32(words[which]), range, low));
        if (static_cast<float>(load_f64_at(out->data, t, at)) == high) store_f64_at(out->data, t, at, low);
    });
}

void philox_normal(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, double mean, double std) {
    const int32_t t = out->dtype;
    if (t == SIFR_F64) {
        deal(g, *out, strides, 2, [&](int64_t at, const uint32_t* words, int32_t which) { store_f64_at(out->data, t, at, fused(normal_f64(words, which), std, mean)); });
        return;
    }
    const auto m = static_cast<float>(mean), s = static_cast<float>(std);
    deal(g, *out, strides, 4, [&](int64_t at, const uint32_t* words, int32_t which) { store_f64_at(out->data, t, at, __builtin_fmaf(normal_f32(words, which), s, m)); });
}

void philox_range(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, int64_t low, int64_t high) {
    const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    const bool wide = range >= uint64_t{1} << 28;
    deal(g, *out, strides, wide ? 2 : 4, [&](int64_t at, const uint32_t* words, int32_t which) {
        const uint64_t word = wide ? uint64_t{words[2 * which]} << 32 | words[2 * which + 1] : words[which];
        store_i64_at(out->data, out->dtype, at, static_cast<int64_t>(word % range + static_cast<uint64_t>(low)));
    });
}

void philox_bernoulli(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, double p) {
    const bool wide = out->dtype == SIFR_F64;
    deal(g, *out, strides, wide ? 2 : 4, [&](int64_t at, const uint32_t* words, int32_t which) {
        const bool one = wide ? unit_f64(words, which) < p : unit_f32(words[which]) < static_cast<float>(p);
        store_i64_at(out->data, out->dtype, at, one ? 1 : 0);
    });
}

void philox_bernoulli_tensor(sifr_generator* g, const sifr_tensor* out, const sifr_tensor* p) {
    // Four neighbours to a thread, whatever the dtype.
    const int64_t n = sifr_tensor_numel(out);
    uint32_t words[4] = {};
    for (int64_t k = 0; k < n; ++k) {
        if (k % 4 == 0) philox(g->seed, g->offset / 4, static_cast<uint64_t>(k / 4), words);
        const double chance = sifr_load_f64(p, k);
        const bool one = out->dtype == SIFR_F64 ? static_cast<double>(unit_f32(words[k % 4])) <= chance : unit_f32(words[k % 4]) <= static_cast<float>(chance);
        sifr_store_f64(out, k, one ? 1 : 0);
    }
    g->offset += 12;
}

}  // namespace sifr::rt

using namespace sifr::rt;

namespace {
sifr_generator the_cuda_default;
bool cuda_default_is_seeded = false;
}  // namespace

extern "C" {

sifr_generator* sifr_cuda_generator(void) {
    if (!cuda_default_is_seeded) {
        cuda_default_is_seeded = true;
        the_cuda_default.is_philox = 1;
        sifr_seed_from_os(&the_cuda_default);
    }
    return &the_cuda_default;
}

sifr_generator* sifr_cuda_generator_new(void) {
    sifr_generator* g = sifr_generator_new();
    g->is_philox = 1;
    return g;
}

}  // extern "C"
