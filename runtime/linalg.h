#pragma once

#include "runtime/internal.h"

namespace sifr::rt {

/// Calls work(T{}, matrix_index) for each matrix, T by dtype (f32 or f64); stops at the first failure.
template <class Work>
sifr_status each_matrix(int32_t dtype, int64_t batch, Work work) {
    for (int64_t m = 0; m < batch; ++m) {
        const sifr_status status = dtype == SIFR_F32 ? work(float{}, m) : work(double{}, m);
        if (status != SIFR_OK) return status;
    }
    return SIFR_OK;
}

/// `linalg.inv: (Batch element 2): `, or without the batch when there is none.
inline void name_batch(Text& out, const char* name, bool batched, int64_t index) {
    out << name << ": ";
    if (batched) out << "(Batch element " << index << "): ";
}

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

/// LU with partial pivoting of the row-major [rows, columns] in place; pivots[k] is the row that was swapped with row k. Returns the
/// first column, from 1, whose pivot is zero, or 0. Rounds as LAPACK does where PyTorch's is fused: a column is scaled by the pivot's
/// reciprocal, the last one of small matrices divided, and each step's products are subtracted without a rounding of their own.
template <class T>
int64_t factor_lu(T* a, int64_t rows, int64_t columns, int32_t* pivots) {
    int64_t singular = 0;
    for (int64_t k = 0; k < rows && k < columns; ++k) {
        int64_t best = k;
        for (int64_t i = k + 1; i < rows; ++i) {
            if (__builtin_fabs(static_cast<double>(a[i * columns + k])) > __builtin_fabs(static_cast<double>(a[best * columns + k]))) best = i;
        }
        pivots[k] = static_cast<int32_t>(best);
        if (a[best * columns + k] == 0) {
            if (singular == 0) singular = k + 1;
            continue;
        }
        if (best != k) {
            for (int64_t j = 0; j < columns; ++j) {
                const T held = a[k * columns + j];
                a[k * columns + j] = a[best * columns + j];
                a[best * columns + j] = held;
            }
        }
        const T pivot = a[k * columns + k], scale = T{1} / pivot;
        const bool divides = columns <= 4 && k + 2 == columns;
        for (int64_t i = k + 1; i < rows; ++i) {
            const T factor = divides ? a[i * columns + k] / pivot : a[i * columns + k] * scale;
            a[i * columns + k] = factor;
            for (int64_t j = k + 1; j < columns; ++j) a[i * columns + j] = fused(-factor, a[k * columns + j], a[i * columns + j]);
        }
    }
    return singular;
}

/// Solves with the factors: b [n, k] in place.
template <class T>
void solve_with_lu(const T* lu, const int32_t* pivots, T* b, int64_t n, int64_t k) {
    for (int64_t i = 0; i < n; ++i) {
        if (pivots[i] == i) continue;
        for (int64_t j = 0; j < k; ++j) {
            const T held = b[i * k + j];
            b[i * k + j] = b[pivots[i] * k + j];
            b[pivots[i] * k + j] = held;
        }
    }
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t p = 0; p < i; ++p) {
            for (int64_t j = 0; j < k; ++j) b[i * k + j] -= lu[i * n + p] * b[p * k + j];
        }
    }
    for (int64_t i = n - 1; i >= 0; --i) {
        for (int64_t p = i + 1; p < n; ++p) {
            for (int64_t j = 0; j < k; ++j) b[i * k + j] -= lu[i * n + p] * b[p * k + j];
        }
        for (int64_t j = 0; j < k; ++j) b[i * k + j] /= lu[i * n + i];
    }
}

}  // namespace sifr::rt
