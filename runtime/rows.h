#pragma once

#include "runtime/internal.h"

namespace sifr::rt {

/// A key and where it stood. Keys are int64 for i64 tensors and doubles, which hold every other real type exactly, else.
template <class Key>
struct Keyed {
    Key key;
    int64_t index;
};

inline bool is_nan(int64_t) { return false; }
inline bool is_nan(double value) { return value != value; }

/// NaN counts as the largest.
template <class Key>
bool less(Key a, Key b) {
    return a < b || (!is_nan(a) && is_nan(b));
}
template <class Key>
bool greater(Key a, Key b) {
    return a > b || (is_nan(a) && !is_nan(b));
}

inline void load_key(const sifr_tensor& t, int64_t offset, int64_t& key) { key = load_i64_at(t.data, t.dtype, offset); }
inline void load_key(const sifr_tensor& t, int64_t offset, double& key) { key = load_f64_at(t.data, t.dtype, offset); }

/// The rows of a tensor along one axis: where row `r` starts, and the step. A 0-d tensor is one row of one element.
struct Rows {
    const sifr_tensor& t;
    int64_t count = 1;
    int64_t size = 1;
    int64_t step = 0;

    Rows(const sifr_tensor& tensor, int32_t dim) : t(tensor), dim_(dim) {
        contiguous_strides(t, strides_);
        if (t.strides != nullptr) {
            for (int32_t d = 0; d < t.ndim; ++d) strides_[d] = t.strides[d];
        }
        for (int32_t d = 0; d < t.ndim; ++d) {
            if (d != dim) count *= t.sizes[d];
        }
        if (t.ndim > 0) {
            size = t.sizes[dim];
            step = strides_[dim];
        }
    }
    [[nodiscard]] int64_t start(int64_t row) const {
        int64_t offset = 0;
        for (int32_t d = t.ndim - 1; d >= 0; --d) {
            if (d == dim_) continue;
            offset += row % t.sizes[d] * strides_[d];
            row /= t.sizes[d];
        }
        return offset;
    }

private:
    int32_t dim_;
    int64_t strides_[max_dims] = {};
};

/// Copies element `from` of `in` to element `to` of `out` (offsets; one dtype).
inline void copy_element(const sifr_tensor& in, int64_t from, const sifr_tensor& out, int64_t to) {
    const int64_t size = sifr_dtype_size(in.dtype);
    memcpy(static_cast<char*>(out.data) + to * size, static_cast<const char*>(in.data) + from * size, static_cast<size_t>(size));
}

/// Stable merge sort by `before(a, b)`; `scratch` has room for half of them.
template <class T, class Before>
void stable_sort(T* data, T* scratch, int64_t count, Before before) {
    if (count <= 16) {
        for (int64_t k = 1; k < count; ++k) {
            const T moving = data[k];
            int64_t at = k;
            for (; at > 0 && before(moving, data[at - 1]); --at) data[at] = data[at - 1];
            data[at] = moving;
        }
        return;
    }
    const int64_t half = count / 2;
    stable_sort(data, scratch, half, before);
    stable_sort(data + half, scratch, count - half, before);
    if (!before(data[half], data[half - 1])) return;  // already in order
    memcpy(scratch, data, static_cast<size_t>(half) * sizeof(T));
    int64_t left = 0;
    int64_t right = half;
    for (int64_t at = 0; left < half; ++at) {
        data[at] = right < count && before(data[right], scratch[left]) ? data[right++] : scratch[left++];
    }
}

/// Calls `with(Key{})` for the key type of the dtype.
template <class With>
void with_key(int32_t dtype, With with) {
    if (dtype == SIFR_I64) {
        with(int64_t{});
    } else {
        with(double{});
    }
}

}  // namespace sifr::rt
