// Normal samples: the scalar path in double, and the block path over 16 elements at a time.

#include <math.h>

#include "runtime/random.h"

using namespace sifr::rt;

namespace {

constexpr double pi = 3.14159265358979323846;

template <class T>
struct Blocks {
    T* data;
    T mean;
    T std;
};

void transform(Blocks<float>& b, int64_t begin, int64_t end) {
    normal_blocks_f32(b.data + 16 * begin, end - begin, b.mean, b.std);
}
void transform(Blocks<double>& b, int64_t begin, int64_t end) {
    normal_blocks_f64(b.data + 16 * begin, end - begin, b.mean, b.std);
}

/// The transform touches each block alone, so that threads may share it; the draws are one stream.
template <class T>
void transform_blocks(T* data, int64_t blocks, T mean, T std) {
    Blocks<T> work = {data, mean, std};
    const auto body = [](void* ctx, int64_t begin, int64_t end) { transform(*static_cast<Blocks<T>*>(ctx), begin, end); };
    sifr_parallel_for(body, &work, blocks, 1024);
}

void draw_uniforms(sifr_generator* g, float* to, int64_t count) {
    const sifr_tensor t = {to, SIFR_F32, 1, &count, nullptr};
    sifr_random_uniform(g, &t, nullptr, 0, 1);
}
void draw_uniforms(sifr_generator* g, double* to, int64_t count) {
    const sifr_tensor t = {to, SIFR_F64, 1, &count, nullptr};
    sifr_random_uniform(g, &t, nullptr, 0, 1);
}

/// n >= 16. All uniforms, then all blocks; the last 16 elements are drawn anew when n is no multiple of 16.
template <class T>
void fill_blocks(sifr_generator* g, T* data, int64_t n, T mean, T std) {
    draw_uniforms(g, data, n);
    transform_blocks(data, n / 16, mean, std);
    if (n % 16 == 0) return;
    draw_uniforms(g, data + n - 16, 16);
    transform_blocks(data + n - 16, 1, mean, std);
}

/// Narrow floats: blocks in f32, rounded at the end. Only the whole blocks are drawn at first.
void fill_narrow_blocks(sifr_generator* g, const sifr_tensor& out, int64_t n, float mean, float std) {
    float block[16];
    const auto next_block = [&](int64_t first) {
        draw_uniforms(g, block, 16);
        normal_blocks_f32(block, 1, mean, std);
        for (int64_t k = 0; k < 16; ++k) store_f64_at(out.data, out.dtype, first + k, block[k]);
    };
    for (int64_t k = 0; k + 16 <= n; k += 16) next_block(k);
    if (n % 16 != 0) next_block(n - 16);
}

/// A complex tensor as one of reals with an axis of two behind the others.
struct RealView {
    int64_t sizes[max_dims + 1];
    int64_t strides[max_dims + 1];
    int64_t order[max_dims + 1];
    sifr_tensor tensor;

    RealView(const sifr_tensor& t, const int64_t* seen) {
        int64_t own[max_dims];
        contiguous_strides(t, own);
        for (int32_t d = 0; d < t.ndim; ++d) {
            sizes[d] = t.sizes[d];
            strides[d] = 2 * (t.strides != nullptr ? t.strides[d] : own[d]);
            order[d] = seen != nullptr ? 2 * seen[d] : strides[d];
        }
        sizes[t.ndim] = 2;
        strides[t.ndim] = order[t.ndim] = 1;
        tensor = {t.data, t.dtype == SIFR_C64 ? SIFR_F32 : SIFR_F64, t.ndim + 1, sizes, strides};
    }
};

}  // namespace

namespace sifr::rt {

double draw_normal(sifr_generator* g, double mean, double std) {
    double sample;
    if (g->has_normal != 0) {
        sample = g->normal;
        g->has_normal = 0;
    } else {
        const double u1 = draw_f64(g);
        const double u2 = draw_f64(g);
        const double radius = sqrt(-2.0 * log1p(-u2));
        const double angle = 2.0 * pi * u1;
        g->normal = radius * sin(angle);
        g->has_normal = 1;
        sample = radius * cos(angle);
    }
    return fused(sample, std, mean);
}

}  // namespace sifr::rt

extern "C" {

void sifr_random_normal(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, double mean, double std) {
    if (is_complex(out->dtype)) {
        const RealView real(*out, strides);
        sifr_random_normal(g, &real.tensor, real.order, mean, std / sqrt(2.0));
        return;
    }
    if (g->is_philox) return philox_normal(g, out, strides, mean, std);
    const int64_t n = sifr_tensor_numel(out);
    const FillOrder order = fill_order(*out, strides);
    if (n < 16 || !order.contiguous) {
        fill_each(*out, order, [&](int64_t offset) { store_f64_at(out->data, out->dtype, offset, draw_normal(g, mean, std)); });
        return;
    }
    if (!order.linear) {  // the script's tensor is contiguous, but this memory is not: draw beside it
        Scratch<char> beside(n * sifr_dtype_size(out->dtype));
        const sifr_tensor copy = {beside.data, out->dtype, out->ndim, out->sizes, nullptr};
        sifr_random_normal(g, &copy, nullptr, mean, std);
        sifr_tensor_copy(&copy, out);
        return;
    }
    switch (out->dtype) {
        case SIFR_F32: fill_blocks(g, static_cast<float*>(out->data), n, static_cast<float>(mean), static_cast<float>(std)); break;
        case SIFR_F64: fill_blocks(g, static_cast<double*>(out->data), n, mean, std); break;
        default: fill_narrow_blocks(g, *out, n, static_cast<float>(mean), static_cast<float>(std)); break;
    }
}

void sifr_random_skip_normal(sifr_generator* g, int32_t dtype, int64_t numel, bool contiguous) {
    if (is_complex(dtype)) {
        numel *= 2;
        dtype = dtype == SIFR_C64 ? SIFR_F32 : SIFR_F64;
    }
    if (numel >= 16 && contiguous) {
        const int64_t redrawn = numel % 16 != 0 ? 16 : 0;
        const bool narrow = dtype == SIFR_F16 || dtype == SIFR_BF16;
        const int64_t samples = (narrow ? numel - numel % 16 : numel) + redrawn;
        sifr_random_skip(g, static_cast<uint64_t>(dtype == SIFR_F64 ? 2 * samples : samples));
        return;
    }
    if (numel > 0 && g->has_normal != 0) {
        g->has_normal = 0;
        --numel;
    }
    sifr_random_skip(g, static_cast<uint64_t>(numel / 2) * 4);
    if (numel % 2 != 0) draw_normal(g, 0, 1);  // its second half stays cached
}

void sifr_random_normal_tensors(sifr_generator* g, const sifr_tensor* out, const sifr_tensor* mean, double mean_scalar,
                                const sifr_tensor* std, double std_scalar) {
    // A scalar std is part of the draw; a tensor multiplies and adds in the tensor's type, rounding each time.
    sifr_random_normal(g, out, nullptr, std != nullptr || mean != nullptr ? 0 : mean_scalar, std != nullptr ? 1 : std_scalar);
    const int64_t n = sifr_tensor_numel(out);
    const bool wide = out->dtype == SIFR_F64;
    const auto round_to = [&](int64_t k, double value) { sifr_store_f64(out, k, wide ? value : static_cast<float>(value)); };
    // A scalar mean beside a tensor std is a 0-d tensor of the type.
    double narrow_mean = 0;
    const sifr_tensor scalar = {&narrow_mean, out->dtype, 0, nullptr, nullptr};
    sifr_store_f64(&scalar, 0, mean_scalar);
    const double added = sifr_load_f64(&scalar, 0);
    for (int64_t k = 0; k < n; ++k) {
        if (std != nullptr) round_to(k, sifr_load_f64(out, k) * sifr_load_f64(std, k));
        if (mean != nullptr) {
            round_to(k, sifr_load_f64(out, k) + sifr_load_f64(mean, k));
        } else if (std != nullptr) {
            round_to(k, sifr_load_f64(out, k) + added);
        }
    }
}

void sifr_random_log_normal(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, double mean, double std) {
    const FillOrder order = fill_order(*out, strides);
    fill_each(*out, order, [&](int64_t offset) { store_f64_at(out->data, out->dtype, offset, exp(draw_normal(g, mean, std))); });
}

}  // extern "C"
