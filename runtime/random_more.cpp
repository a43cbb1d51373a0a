// Draws from other distributions.

#include <math.h>

#include "runtime/random.h"

using namespace sifr::rt;

namespace {

constexpr double pi = 3.14159265358979323846;

/// Weights as doubles in row-major order. PyTorch's checks, with its texts.
sifr_status read_weights(const sifr_tensor* weights, int64_t rows, int64_t n, Scratch<double>& values) {
    for (int64_t k = 0; k < rows * n; ++k) {
        const double w = sifr_load_f64(weights, k);
        if (!(w >= 0) || isinf(w)) return fail(SIFR_RUNTIME_ERROR, "probability tensor contains either `inf`, `nan` or element < 0");
        values.push(w);
    }
    return SIFR_OK;
}

double round_to(int32_t dtype, double value) {
    switch (dtype) {
        case SIFR_F16: return sifr_f16_to_f32(sifr_f64_to_f16(value));
        case SIFR_BF16: return sifr_bf16_to_f32(sifr_f64_to_bf16(value));
        case SIFR_F32: return static_cast<float>(value);
        default: return value;
    }
}

}  // namespace

extern "C" {

sifr_status sifr_random_bernoulli_tensor(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, const sifr_tensor* p) {
    const int64_t n = sifr_tensor_numel(out);
    for (int64_t k = 0; k < n; ++k) {
        const double value = sifr_load_f64(p, k);
        if (!(value >= 0 && value <= 1)) return fail(SIFR_RUNTIME_ERROR, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)");
    }
    if (g->is_philox) {
        philox_bernoulli_tensor(g, out, p);
        return SIFR_OK;
    }
    // Element by element in the order of the fill; `positions` finds the probability that belongs to an offset.
    const FillOrder order = fill_order(*out, strides);
    int64_t own[max_dims];
    contiguous_strides(*p, own);
    const int64_t* p_strides = p->strides != nullptr ? p->strides : own;
    const sifr_tensor p_walk = {p->data, p->dtype, p->ndim, p->sizes, p_strides};
    const FillOrder p_order = fill_order(p_walk, strides != nullptr ? strides : out->strides);
    Scratch<int64_t> offsets;
    offsets.reserve(n);
    fill_each(p_walk, p_order, [&](int64_t offset) { offsets.push(offset); });
    int64_t next = 0;
    fill_each(*out, order, [&](int64_t offset) {
        const double probability = load_f64_at(p->data, p->dtype, offsets[next++]);
        const bool one = p->dtype == SIFR_F64 ? draw_f64(g) < probability : static_cast<double>(draw_f32(g)) < probability;
        store_i64_at(out->data, out->dtype, offset, one ? 1 : 0);
    });
    return SIFR_OK;
}

void sifr_random_exponential(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, double lambda) {
    const FillOrder order = fill_order(*out, strides);
    fill_each(*out, order, [&](int64_t offset) {
        store_f64_at(out->data, out->dtype, offset, -1.0 / lambda * log1p(-draw_f64(g)));
    });
}

void sifr_random_geometric(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, double p) {
    const FillOrder order = fill_order(*out, strides);
    fill_each(*out, order, [&](int64_t offset) {
        store_f64_at(out->data, out->dtype, offset, ceil(log(draw_f64(g)) / log1p(-p)));
    });
}

void sifr_random_cauchy(sifr_generator* g, const sifr_tensor* out, const int64_t* strides, double median, double sigma) {
    const FillOrder order = fill_order(*out, strides);
    fill_each(*out, order, [&](int64_t offset) {
        store_f64_at(out->data, out->dtype, offset, fused(sigma, tan(pi * (draw_f64(g) - 0.5)), median));
    });
}

sifr_status sifr_random_multinomial(sifr_generator* g, const sifr_tensor* weights, const sifr_tensor* out, bool replacement) {
    const bool matrix = weights->ndim == 2;
    const int64_t rows = matrix ? weights->sizes[0] : 1;
    const int64_t n = matrix ? weights->sizes[1] : weights->sizes[0];
    const int64_t samples = matrix ? out->sizes[1] : out->sizes[0];
    Scratch<double> values;
    if (const sifr_status status = read_weights(weights, rows, n, values)) return status;
    const int32_t dtype = weights->dtype;
    const sifr_str no_weight = lit("invalid multinomial distribution (sum of probabilities <= 0)");
    Scratch<double> sums(n);
    for (int64_t row = 0; row < rows; ++row) {
        double sum = 0;
        for (int64_t k = 0; k < n; ++k) sum = round_to(dtype, sum + values[row * n + k]);
        if (!(sum > 0)) return sifr_fail(SIFR_RUNTIME_ERROR, no_weight);
    }
    if (replacement && samples > 1) {
        const int32_t running = dtype == SIFR_F64 ? SIFR_F64 : SIFR_F32;  // narrow floats are summed in f32
        for (int64_t row = 0; row < rows; ++row) {
            double sum = 0;
            for (int64_t k = 0; k < n; ++k) sums[k] = sum = round_to(running, sum + values[row * n + k]);
            for (int64_t k = 0; k < n; ++k) sums[k] = round_to(running, sums[k] / sum);
            sums[n - 1] = 1;
            for (int64_t s = 0; s < samples; ++s) {
                const double wanted = draw_f64(g);
                int64_t low = 0;
                int64_t high = n;
                while (high - low > 0) {
                    const int64_t middle = low + (high - low) / 2;
                    if (sums[middle] < wanted) {
                        low = middle + 1;
                    } else {
                        high = middle;
                    }
                }
                sifr_store_i64(out, row * samples + s, low);
            }
        }
        return SIFR_OK;
    }
    // Without replacement: the largest of weight / exponential sample, for all rows in one draw.
    const int64_t sizes[] = {rows, n};
    Scratch<char> quotients(rows * n * sifr_dtype_size(dtype));
    const sifr_tensor q = {quotients.data, dtype, 2, sizes, nullptr};
    sifr_random_exponential(g, &q, nullptr, 1);
    for (int64_t k = 0; k < rows * n; ++k) sifr_store_f64(&q, k, round_to(dtype, values[k] / sifr_load_f64(&q, k)));
    const int64_t chosen_sizes[] = {rows, samples};
    Scratch<int64_t> chosen(rows * samples);
    const sifr_tensor indices = {chosen.data, SIFR_I64, 2, chosen_sizes, nullptr};
    if (samples == 1) {
        for (int64_t row = 0; row < rows; ++row) {
            int64_t best = 0;
            for (int64_t k = 1; k < n; ++k) {
                const double value = sifr_load_f64(&q, row * n + k);
                const double champion = sifr_load_f64(&q, row * n + best);
                if (value > champion || (isnan(value) && !isnan(champion))) best = k;
            }
            chosen[row] = best;
        }
    } else {
        sifr_topk(&q, 1, samples, true, true, nullptr, &indices);
    }
    for (int64_t k = 0; k < rows * samples; ++k) sifr_store_i64(out, k, chosen[k]);
    return SIFR_OK;
}

void sifr_random_rrelu(sifr_generator* g, const sifr_tensor* in, const sifr_tensor* out, const sifr_tensor* noise, double lower, double upper) {
    const int64_t n = sifr_tensor_numel(in);
    for (int64_t k = 0; k < n; ++k) {
        const double x = sifr_load_f64(in, k);
        const double factor = x <= 0 ? round_to(in->dtype, draw_f64(g) * (upper - lower) + lower) : 1.0;
        sifr_store_f64(noise, k, factor);
        sifr_store_f64(out, k, in->dtype == SIFR_F64 ? x * factor : round_to(in->dtype, static_cast<float>(x) * static_cast<float>(factor)));
    }
}

}  // extern "C"
