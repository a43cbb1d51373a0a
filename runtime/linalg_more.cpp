// P, L and U as matrices, and the exponential of a matrix.

#include <math.h>

#include "runtime/linalg.h"

using namespace sifr::rt;

namespace {

/// out = a · b, all [n, n]; out is neither.
void multiply(const double* a, const double* b, double* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) out[i * n + j] = 0;
        for (int64_t k = 0; k < n; ++k) {
            for (int64_t j = 0; j < n; ++j) out[i * n + j] += a[i * n + k] * b[k * n + j];
        }
    }
}

}  // namespace

extern "C" {

void sifr_lu_matrices(int32_t dtype, int64_t batch, int64_t rows, int64_t columns, const void* in, void* p, void* l, void* u) {
    const int64_t rank = rows < columns ? rows : columns;
    each_matrix(dtype, batch, [&](auto kind, int64_t m) -> sifr_status {
        using T = decltype(kind);
        Scratch<T> packed(rows * columns);
        Scratch<int32_t> pivots(rank);
        Scratch<int64_t> order(rows);  // which row of A stands in row i of L U
        if (rows * columns > 0) memcpy(packed.data, static_cast<const T*>(in) + m * rows * columns, static_cast<size_t>(rows * columns) * sizeof(T));
        factor_lu(packed.data, rows, columns, pivots.data);
        for (int64_t i = 0; i < rows; ++i) order[i] = i;
        for (int64_t k = 0; k < rank; ++k) {
            const int64_t held = order[k];
            order[k] = order[pivots[k]];
            order[pivots[k]] = held;
        }
        T* permutation = static_cast<T*>(p) + m * rows * rows;
        for (int64_t i = 0; i < rows * rows; ++i) permutation[i] = 0;
        for (int64_t i = 0; i < rows; ++i) permutation[order[i] * rows + i] = 1;
        T* lower = static_cast<T*>(l) + m * rows * rank;
        for (int64_t i = 0; i < rows; ++i) {
            for (int64_t j = 0; j < rank; ++j) lower[i * rank + j] = j < i ? packed[i * columns + j] : static_cast<T>(i == j);
        }
        T* upper = static_cast<T*>(u) + m * rank * columns;
        for (int64_t i = 0; i < rank; ++i) {
            for (int64_t j = 0; j < columns; ++j) upper[i * columns + j] = j < i ? T{0} : packed[i * columns + j];
        }
        return SIFR_OK;
    });
}

/// Taylor's series of A / 2^s, whose norm is below 1/2, squared s times, in double.
void sifr_matrix_exp(int32_t dtype, int64_t batch, int64_t n, const void* in, void* out) {
    each_matrix(dtype, batch, [&](auto kind, int64_t m) -> sifr_status {
        using T = decltype(kind);
        const T* source = static_cast<const T*>(in) + m * n * n;
        Scratch<double> a(n * n), term(n * n), sum(n * n), next(n * n);
        double norm = 0;
        for (int64_t i = 0; i < n; ++i) {
            double row = 0;
            for (int64_t j = 0; j < n; ++j) row += fabs(static_cast<double>(source[i * n + j]));
            if (row > norm) norm = row;
        }
        int32_t squarings = 0;
        for (double scaled = norm; scaled > 0.5 && squarings < 1100; scaled /= 2) ++squarings;
        for (int64_t i = 0; i < n * n; ++i) a[i] = ldexp(static_cast<double>(source[i]), -squarings);
        for (int64_t i = 0; i < n * n; ++i) sum[i] = term[i] = i % (n + 1) == 0;
        for (int32_t k = 1; k <= 18; ++k) {
            multiply(term.data, a.data, next.data, n);
            for (int64_t i = 0; i < n * n; ++i) {
                term[i] = next[i] / k;
                sum[i] += term[i];
            }
        }
        for (int32_t s = 0; s < squarings; ++s) {
            multiply(sum.data, sum.data, next.data, n);
            memcpy(sum.data, next.data, static_cast<size_t>(n * n) * sizeof(double));
        }
        for (int64_t i = 0; i < n * n; ++i) static_cast<T*>(out)[m * n * n + i] = static_cast<T>(sum[i]);
        return SIFR_OK;
    });
}

}  // extern "C"
