// The generator, and the uniform draws of PyTorch's CPU streams.

#include <math.h>
#include <sys/random.h>
#include <time.h>

#include "runtime/random.h"

using namespace sifr::rt;

namespace {

constexpr uint64_t default_seed = 67280421310721;

sifr_generator the_default;
bool default_is_seeded = false;

constexpr int64_t chunk_words = 4 * mt_words;

/// Calls use(words, begin, count) over [0, n) in chunks, with `each` words an element.
template <class Use>
void in_chunks(sifr_generator* g, int64_t n, int32_t each, Use use) {
    uint32_t words[chunk_words];
    for (int64_t begin = 0; begin < n;) {
        const int64_t room = chunk_words / each;
        const int64_t count = n - begin < room ? n - begin : room;
        draw_words(g, words, count * each);
        use(words, begin, count);
        begin += count;
    }
}

}  // namespace

namespace sifr::rt {

uint32_t draw_u32(sifr_generator* g) {
    if (g->at == mt_words) {
        mt_refresh(g->state);
        g->at = 0;
    }
    uint32_t y = g->state[g->at++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C5680;
    y ^= (y << 15) & 0xEFC60000;
    return y ^ (y >> 18);
}

void draw_words(sifr_generator* g, uint32_t* to, int64_t count) {
    while (count > 0) {
        if (g->at == mt_words) {
            mt_refresh(g->state);
            g->at = 0;
        }
        const int64_t left = mt_words - g->at;
        const int64_t now = count < left ? count : left;
        mt_temper(g->state + g->at, to, now);
        g->at += static_cast<int32_t>(now);
        to += now;
        count -= now;
    }
}

FillOrder fill_order(const sifr_tensor& out, const int64_t* order) {
    FillOrder result;
    int64_t own[max_dims];
    contiguous_strides(out, own);
    const int64_t* target = out.strides != nullptr ? out.strides : own;
    const sifr_tensor seen = {out.data, out.dtype, out.ndim, out.sizes, order != nullptr ? order : out.strides};
    result.contiguous = is_contiguous(seen);
    const int64_t* strides = seen.strides != nullptr ? seen.strides : own;
    // Innermost first, an insertion sort that leaves axes alone whose order says nothing (stride 0).
    int32_t axes[max_dims];
    for (int32_t d = 0; d < out.ndim; ++d) axes[d] = out.ndim - 1 - d;
    const auto compare = [&](int32_t a, int32_t b) {
        if (strides[a] == 0 || strides[b] == 0) return 0;
        if (strides[a] != strides[b]) return strides[a] < strides[b] ? -1 : 1;
        return out.sizes[a] > out.sizes[b] ? 1 : 0;
    };
    for (int32_t k = 1; k < out.ndim; ++k) {
        int32_t moving = k;
        for (int32_t other = k - 1; other >= 0; --other) {
            const int32_t order_of_two = compare(axes[other], axes[moving]);
            if (order_of_two < 0) break;
            if (order_of_two == 0) continue;
            const int32_t held = axes[other];
            axes[other] = axes[moving];
            axes[moving] = held;
            moving = other;
        }
    }
    int64_t expected = 1;
    result.linear = true;
    for (int32_t k = 0; k < out.ndim; ++k) {
        const int32_t axis = axes[k];
        if (out.sizes[axis] == 1) continue;
        result.linear = result.linear && target[axis] == expected;
        expected *= out.sizes[axis];
    }
    for (int32_t k = out.ndim - 1; k >= 0; --k) {
        if (out.sizes[axes[k]] == 1) continue;
        result.sizes[result.count] = out.sizes[axes[k]];
        result.strides[result.count++] = target[axes[k]];
    }
    return result;
}

}  // namespace sifr::rt

extern "C" {

sifr_generator* sifr_default_generator(void) {
    if (sifr_generator* own = context_generator()) return own;
    if (!default_is_seeded) {
        default_is_seeded = true;
        sifr_seed_from_os(&the_default);
    }
    return &the_default;
}

sifr_generator* sifr_generator_new(void) {
    sifr_generator* g = static_cast<sifr_generator*>(grow_memory(nullptr, sizeof(sifr_generator)));
    g->is_philox = 0;
    sifr_manual_seed(g, default_seed);
    return g;
}

void sifr_generator_free(sifr_generator* generator) {
    free(generator);
}

void sifr_manual_seed(sifr_generator* g, uint64_t seed) {
    g->seed = seed;
    g->has_normal = 0;
    g->normal = 0;
    g->offset = 0;
    g->state[0] = static_cast<uint32_t>(seed);
    for (uint32_t k = 1; k < mt_words; ++k) {
        const uint32_t before = g->state[k - 1];
        g->state[k] = 1812433253u * (before ^ (before >> 30)) + k;
    }
    g->at = mt_words;
}

uint64_t sifr_seed_from_os(sifr_generator* g) {
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) seed = static_cast<uint64_t>(time(nullptr));
    seed &= 0x1FFFFFFFFFFFFF;  // 53 bits, as PyTorch, so that it survives a trip through a double
    sifr_manual_seed(g, seed);
    return seed;
}

uint64_t sifr_initial_seed(const sifr_generator* g) {
    return g->seed;
}

int64_t sifr_generator_state_size(void) {
    return 5056;  // as PyTorch's, which is larger
}

void sifr_generator_get_state(const sifr_generator* g, void* bytes) {
    static_assert(sizeof *g <= 5056);
    memset(bytes, 0, 5056);
    memcpy(bytes, g, sizeof *g);
}

void sifr_generator_set_state(sifr_generator* g, const void* bytes) {
    memcpy(g, bytes, sizeof *g);
}

uint32_t sifr_random_u32(sifr_generator* g) {
    return draw_u32(g);
}

uint64_t sifr_random_u64(sifr_generator* g) {
    return draw_u64(g);
}

void sifr_random_skip(sifr_generator* g, uint64_t draws) {
    const uint64_t left = static_cast<uint64_t>(mt_words - g->at);
    if (draws <= left) {
        g->at += static_cast<int32_t>(draws);
        return;
    }
    draws -= left;
    mt_refresh(g->state);
    for (; draws > mt_words; draws -= mt_words) mt_refresh(g->state);
    g->at = static_cast<int32_t>(draws);
}

void sifr_random_uniform(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, double from, double to) {
    if (g->is_philox) return philox_uniform(g, out, strides, from, to);
    const FillOrder order = fill_order(*out, strides);
    const int64_t numel = sifr_tensor_numel(out);
    if (out->dtype == SIFR_F64) {
        const double range = to - from;
        double* data = static_cast<double*>(out->data);
        if (order.linear) {
            in_chunks(g, numel, 2, [&](const uint32_t* words, int64_t begin, int64_t count) {
                uniform_f64(words, data + begin, count, range, from);
            });
        } else {
            fill_each(*out, order, [&](int64_t offset) { data[offset] = fused(draw_f64(g), range, from); });
        }
        return;
    }
    const float low = static_cast<float>(from);
    const float high = static_cast<float>(to);
    const float range = high - low;
    if (out->dtype == SIFR_F32 && order.linear) {
        float* data = static_cast<float*>(out->data);
        in_chunks(g, numel, 1, [&](const uint32_t* words, int64_t begin, int64_t count) {
            uniform_f32(words, data + begin, count, range, low);
        });
        return;
    }
    const bool half = out->dtype == SIFR_F16 || out->dtype == SIFR_BF16;
    uint16_t end = 0;
    store_f64_at(&end, half ? out->dtype : int32_t{SIFR_F16}, 0, high);
    const double narrow_high = load_f64_at(&end, half ? out->dtype : int32_t{SIFR_F16}, 0);
    fill_each(*out, order, [&](int64_t offset) {
        const uint32_t word = draw_u32(g);
        float value = 0;
        uniform_f32(&word, &value, 1, range, low);
        store_f64_at(out->data, out->dtype, offset, value);
        // Rounded to the narrow type it may have reached the end of the range, which is exclusive.
        if (half && load_f64_at(out->data, out->dtype, offset) >= narrow_high) store_f64_at(out->data, out->dtype, offset, low);
    });
}

void sifr_random_range(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, int64_t low, int64_t high) {
    if (g->is_philox) return philox_range(g, out, strides, low, high);
    const FillOrder order = fill_order(*out, strides);
    const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    const bool wide = range >= (uint64_t{1} << 28);
    if (!wide && order.linear && (out->dtype == SIFR_I64 || out->dtype == SIFR_F32)) {
        const auto modulus = static_cast<uint32_t>(range);
        in_chunks(g, sifr_tensor_numel(out), 1, [&](const uint32_t* words, int64_t begin, int64_t count) {
            if (out->dtype == SIFR_I64) {
                int64_t* data = static_cast<int64_t*>(out->data) + begin;
                for (int64_t k = 0; k < count; ++k) data[k] = static_cast<int64_t>(words[k] % modulus) + low;
            } else {
                float* data = static_cast<float*>(out->data) + begin;
                for (int64_t k = 0; k < count; ++k) data[k] = static_cast<float>(static_cast<int64_t>(words[k] % modulus) + low);
            }
        });
        return;
    }
    fill_each(*out, order, [&](int64_t offset) {
        const uint64_t word = wide ? draw_u64(g) : draw_u32(g);
        store_i64_at(out->data, out->dtype, offset, static_cast<int64_t>(word % range + static_cast<uint64_t>(low)));
    });
}

void sifr_random_full(sifr_generator* g, const sifr_tensor* out, const int64_t* strides) {
    uint64_t modulus = 0;
    switch (out->dtype) {
        case SIFR_BOOL: modulus = 2; break;
        case SIFR_U8: modulus = 256; break;
        case SIFR_I8: modulus = 128; break;
        case SIFR_I16: modulus = uint64_t{1} << 15; break;
        case SIFR_I32: modulus = uint64_t{1} << 31; break;
        case SIFR_I64: modulus = uint64_t{1} << 63; break;
        case SIFR_F16: modulus = (uint64_t{1} << 11) + 1; break;
        case SIFR_BF16: modulus = (uint64_t{1} << 8) + 1; break;
        case SIFR_F64: modulus = (uint64_t{1} << 53) + 1; break;
        default: modulus = (uint64_t{1} << 24) + 1; break;
    }
    if (g->is_philox) return philox_range(g, out, strides, 0, static_cast<int64_t>(modulus));  // it takes 2^63, too: bounds wrap
    const FillOrder order = fill_order(*out, strides);
    const bool wide = out->dtype == SIFR_I64 || out->dtype == SIFR_F64;
    fill_each(*out, order, [&](int64_t offset) {
        const uint64_t word = wide ? draw_u64(g) : draw_u32(g);
        store_i64_at(out->data, out->dtype, offset, static_cast<int64_t>(word % modulus));
    });
}

void sifr_random_bernoulli(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, double p) {
    if (g->is_philox) return philox_bernoulli(g, out, strides, p);
    const FillOrder order = fill_order(*out, strides);
    if (out->dtype == SIFR_F32 && order.linear) {
        float* data = static_cast<float*>(out->data);
        in_chunks(g, sifr_tensor_numel(out), 2, [&](const uint32_t* words, int64_t begin, int64_t count) {
            below_f32(words, data + begin, count, p);
        });
        return;
    }
    fill_each(*out, order, [&](int64_t offset) { store_i64_at(out->data, out->dtype, offset, draw_f64(g) < p ? 1 : 0); });
}

void sifr_random_permutation(sifr_generator* g, const sifr_tensor* out) {
    const int64_t n = out->sizes[0];
    if (n == 0) return;
    const bool in_place = out->dtype == SIFR_I64 && is_contiguous(*out);
    Scratch<int64_t> beside(in_place ? 0 : n);
    int64_t* order = in_place ? static_cast<int64_t*>(out->data) : beside.data;
    if (n < int64_t{UINT32_MAX} / 20) {
        for (int64_t k = 0; k < n; ++k) order[k] = k;
        for (int64_t k = 0; k + 1 < n; ++k) {
            const int64_t other = k + static_cast<int64_t>(draw_u32(g) % static_cast<uint32_t>(n - k));
            const int64_t held = order[k];
            order[k] = order[other];
            order[other] = held;
        }
    } else {
        for (int64_t k = 0; k < n; ++k) {
            const int64_t other = static_cast<int64_t>(draw_u64(g) % static_cast<uint64_t>(k + 1));
            order[k] = k;
            order[k] = order[other];
            order[other] = k;
        }
    }
    for (int64_t k = 0; k < n && !in_place; ++k) sifr_store_i64(out, k, order[k]);
}

}  // extern "C"
