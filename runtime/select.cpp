// unique, searchsorted, nonzero, masked_select, bincount, histc.

#include <math.h>

#include "runtime/radix.h"

using namespace sifr::rt;

namespace {

template <class Key>
void load_all(const sifr_tensor& in, Scratch<Keyed<Key>>& items) {
    const int64_t count = sifr_tensor_numel(&in);
    items.resize(count);
    const Offsets offset(in);
    for (int64_t k = 0; k < count; ++k) {
        load_key(in, offset(k), items[k].key);
        items[k].index = k;
    }
}

/// Numbers the runs of equal keys in `items`, in their order. Returns how many.
template <class Key>
int64_t number_runs(const sifr_tensor& in, const Scratch<Keyed<Key>>& items, void* values, const sifr_tensor* inverse, int64_t* counts) {
    const int64_t size = sifr_dtype_size(in.dtype);
    int64_t runs = 0;
    for (int64_t k = 0; k < items.size; ++k) {
        if (k == 0 || !(items[k].key == items[k - 1].key)) {
            memcpy(static_cast<char*>(values) + runs * size, static_cast<const char*>(in.data) + element_offset(in, items[k].index) * size,
                   static_cast<size_t>(size));
            if (counts != nullptr) counts[runs] = 0;
            ++runs;
        }
        if (counts != nullptr) ++counts[runs - 1];
        if (inverse != nullptr && inverse->data != nullptr) sifr_store_i64(inverse, items[k].index, runs - 1);
    }
    return runs;
}

/// The order of two slices along an axis, lexicographic.
template <class Key>
int32_t compare_slices(const Rows& rows, int64_t a, int64_t b) {
    for (int64_t row = 0; row < rows.count; ++row) {
        const int64_t start = rows.start(row);
        Key x{};
        Key y{};
        load_key(rows.t, start + a * rows.step, x);
        load_key(rows.t, start + b * rows.step, y);
        if (less(x, y)) return -1;
        if (less(y, x)) return 1;
    }
    return 0;
}

}  // namespace

extern "C" {

int64_t sifr_unique(const sifr_tensor* in, void* values, const sifr_tensor* inverse, int64_t* counts) {
    int64_t runs = 0;
    with_key(in->dtype, [&](auto kind) {
        using Key = decltype(kind);
        Scratch<Keyed<Key>> items;
        load_all(*in, items);
        Scratch<Keyed<uint64_t>> order(items.size);
        Scratch<Keyed<uint64_t>> other(items.size);
        for (int64_t k = 0; k < items.size; ++k) order[k] = {ordered_bits(items[k].key), k};
        radix_sort(order.data, other.data, items.size);
        Scratch<Keyed<Key>> sorted(items.size);
        for (int64_t k = 0; k < items.size; ++k) sorted[k] = items[order[k].index];
        runs = number_runs(*in, sorted, values, inverse, counts);
    });
    return runs;
}

int64_t sifr_unique_consecutive(const sifr_tensor* in, void* values, const sifr_tensor* inverse, int64_t* counts) {
    int64_t runs = 0;
    with_key(in->dtype, [&](auto kind) {
        Scratch<Keyed<decltype(kind)>> items;
        load_all(*in, items);
        runs = number_runs(*in, items, values, inverse, counts);
    });
    return runs;
}

int64_t sifr_unique_dim(const sifr_tensor* in, int32_t dim, bool consecutive, int64_t* representatives, int64_t* inverse, int64_t* counts) {
    const Rows rows(*in, dim);
    int64_t classes = 0;
    with_key(in->dtype, [&](auto kind) {
        using Key = decltype(kind);
        Scratch<int64_t> order(rows.size);
        Scratch<int64_t> scratch(rows.size / 2 + 1);
        for (int64_t k = 0; k < rows.size; ++k) order[k] = k;
        if (!consecutive)
            stable_sort(order.data, scratch.data, rows.size, [&](int64_t a, int64_t b) { return compare_slices<Key>(rows, a, b) < 0; });
        for (int64_t k = 0; k < rows.size; ++k) {
            if (k == 0 || compare_slices<Key>(rows, order[k], order[k - 1]) != 0) {
                if (representatives != nullptr) representatives[classes] = order[k];
                if (counts != nullptr) counts[classes] = 0;
                ++classes;
            }
            if (counts != nullptr) ++counts[classes - 1];
            if (inverse != nullptr) inverse[order[k]] = classes - 1;
        }
    });
    return classes;
}

void sifr_searchsorted(const sifr_tensor* sorted, const sifr_tensor* values, bool right, const sifr_tensor* out) {
    const int64_t count = sifr_tensor_numel(values);
    if (count == 0) return;
    const Rows rows(*sorted, sorted->ndim - 1);
    const int64_t per_row = sorted->ndim > 1 ? values->sizes[values->ndim - 1] : count;
    with_key(sorted->dtype, [&](auto kind) {
        using Key = decltype(kind);
        for (int64_t k = 0; k < count; ++k) {
            const int64_t start = sorted->ndim > 1 ? rows.start(k / per_row) : 0;
            Key wanted{};
            load_key(*values, element_offset(*values, k), wanted);
            int64_t low = 0;
            int64_t high = rows.size;
            while (low < high) {
                const int64_t middle = low + (high - low) / 2;
                Key here{};
                load_key(*sorted, start + middle * rows.step, here);
                // A NaN among the sorted counts as below everything that is looked for, as in PyTorch.
                if (right ? !(here > wanted) : !(here >= wanted)) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            sifr_store_i64(out, k, low);
        }
    });
}

int64_t sifr_nonzero(const sifr_tensor* in, int64_t* out) {
    const int64_t numel = sifr_tensor_numel(in);
    const Offsets offset_of(*in);
    int64_t count = 0;
    for (int64_t k = 0; k < numel; ++k) {
        const int64_t offset = offset_of(k);
        const double real = load_f64_at(in->data, in->dtype, offset);
        if (real == 0 && load_imaginary_at(in->data, in->dtype, offset) == 0) continue;
        if (out != nullptr) {
            int64_t rest = k;
            for (int32_t d = in->ndim - 1; d >= 0; --d) {
                out[count * in->ndim + d] = rest % in->sizes[d];
                rest /= in->sizes[d];
            }
        }
        ++count;
    }
    return count;
}

int64_t sifr_masked_select(const sifr_tensor* in, const sifr_tensor* mask, void* out) {
    const int64_t numel = sifr_tensor_numel(in);
    const int64_t size = sifr_dtype_size(in->dtype);
    const Offsets offset(*in);
    const Offsets mask_offset(*mask);
    int64_t count = 0;
    for (int64_t k = 0; k < numel; ++k) {
        if (static_cast<const uint8_t*>(mask->data)[mask_offset(k)] == 0) continue;
        memcpy(static_cast<char*>(out) + count * size, static_cast<const char*>(in->data) + offset(k) * size, static_cast<size_t>(size));
        ++count;
    }
    return count;
}

sifr_status sifr_bincount_size(const sifr_tensor* in, int64_t minlength, int64_t* out) {
    const int64_t numel = sifr_tensor_numel(in);
    int64_t bins = minlength;
    for (int64_t k = 0; k < numel; ++k) {
        const int64_t value = sifr_load_i64(in, k);
        if (value < 0) return fail(SIFR_RUNTIME_ERROR, "bincount only supports 1-d non-negative integral inputs.");
        if (value >= bins) bins = value + 1;
    }
    *out = bins;
    return SIFR_OK;
}

void sifr_bincount(const sifr_tensor* in, const sifr_tensor* weights, const sifr_tensor* out) {
    const int64_t bins = sifr_tensor_numel(out);
    const int64_t numel = sifr_tensor_numel(in);
    sifr_zero(out->data, bins * sifr_dtype_size(out->dtype));
    const Offsets offset(*in);
    for (int64_t k = 0; k < numel; ++k) {
        const int64_t bin = load_i64_at(in->data, in->dtype, offset(k));
        if (weights == nullptr) {
            ++static_cast<int64_t*>(out->data)[bin];
        } else if (out->dtype == SIFR_F32) {
            static_cast<float*>(out->data)[bin] += static_cast<float>(sifr_load_f64(weights, k));
        } else {
            static_cast<double*>(out->data)[bin] += sifr_load_f64(weights, k);
        }
    }
}

sifr_status sifr_histc(const sifr_tensor* in, double min, double max, const sifr_tensor* out) {
    const int64_t numel = sifr_tensor_numel(in);
    const int64_t bins = sifr_tensor_numel(out);
    const bool single = in->dtype == SIFR_F32;
    if (min == max && numel > 0) {
        min = INFINITY;
        max = -INFINITY;
        for (int64_t k = 0; k < numel; ++k) {
            const double value = sifr_load_f64(in, k);
            if (isnan(value)) min = max = value;
            if (value < min) min = value;
            if (value > max) max = value;
        }
    }
    if (min == max) {
        min -= 1;
        max += 1;
    }
    if (!isfinite(min) || !isfinite(max)) {
        Text message;
        FloatFormat format;
        format.code = 'g';
        message << "torch.histc: range of [";
        append_float(message, min, format);
        message << ", ";
        append_float(message, max, format);
        message << "] is not finite";
        return fail(SIFR_RUNTIME_ERROR, message);
    }
    if (min > max) return fail(SIFR_RUNTIME_ERROR, "torch.histc: max must be larger than min");
    sifr_zero(out->data, bins * sifr_dtype_size(out->dtype));
    for (int64_t k = 0; k < numel; ++k) {
        const double value = sifr_load_f64(in, k);
        int64_t bin;
        if (single) {
            const float x = static_cast<float>(value);
            const float low = static_cast<float>(min);
            const float high = static_cast<float>(max);
            if (!(x >= low && x <= high)) continue;
            bin = static_cast<int64_t>((x - low) / (high - low) * static_cast<float>(bins));
        } else {
            if (!(value >= min && value <= max)) continue;
            bin = static_cast<int64_t>((value - min) / (max - min) * static_cast<double>(bins));
        }
        if (bin >= bins) bin = bins - 1;
        if (single) {
            static_cast<float*>(out->data)[bin] += 1;
        } else {
            static_cast<double*>(out->data)[bin] += 1;
        }
    }
    return SIFR_OK;
}

}  // extern "C"
