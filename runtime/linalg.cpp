// Factorisations and solvers by elimination: plain loops, one matrix at a time.

#include <math.h>

#include "runtime/linalg.h"

using namespace sifr::rt;

namespace {

template <class T>
const T* matrix(const void* data, int64_t index, int64_t elements) {
    return static_cast<const T*>(data) + index * elements;
}
template <class T>
T* matrix(void* data, int64_t index, int64_t elements) {
    return static_cast<T*>(data) + index * elements;
}

/// Copies, where the two are not the same memory.
template <class T>
void copy_elements(T* to, const T* from, int64_t count) {
    if (to != from && count > 0) memmove(to, from, static_cast<size_t>(count) * sizeof(T));
}

/// The transposed of a square matrix: row-major memory, read by LAPACK, which is what determinants are made of.
template <class T>
void copy_transposed(T* to, const T* from, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) to[j * n + i] = from[i * n + j];
}

/// The determinant's sign from the swaps of a factorisation.
double sign_of_swaps(const int32_t* pivots, int64_t n) {
    double sign = 1;
    for (int64_t k = 0; k < n; ++k) sign = pivots[k] != k ? -sign : sign;
    return sign;
}

}  // namespace

extern "C" {

sifr_status sifr_cholesky(int32_t dtype, int64_t batch, bool batched, int64_t n, const void* in, bool upper, void* out) {
    return each_matrix(dtype, batch, [&](auto kind, int64_t m) -> sifr_status {
        using T = decltype(kind);
        Scratch<T> a(n * n);
        copy_elements(a.data, matrix<T>(in, m, n * n), n * n);
        T* factor = matrix<T>(out, m, n * n);
        // The lower triangle of L, by rows. With `upper` the upper triangle is what is read, so a is read transposed.
        const auto element = [&](int64_t i, int64_t j) { return upper ? a[j * n + i] : a[i * n + j]; };
        Scratch<T> l(n * n);
        for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = 0; j <= i; ++j) {
                T sum = element(i, j);
                for (int64_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
                if (i != j) {
                    l[i * n + j] = sum / l[j * n + j];
                    continue;
                }
                if (!(sum > 0)) {
                    Text message;
                    name_batch(message, "linalg.cholesky", batched, m);
                    message << "The factorization could not be completed because the input is not positive-definite "
                               "(the leading minor of order "
                            << i + 1 << " is not positive-definite).";
                    return fail(SIFR_LINALG_ERROR, message);
                }
                l[i * n + i] = static_cast<T>(sqrt(sum));
            }
        }
        for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = 0; j < n; ++j) {
                const int64_t row = upper ? j : i;
                const int64_t column = upper ? i : j;
                factor[i * n + j] = column <= row ? l[row * n + column] : T{0};
            }
        }
        return SIFR_OK;
    });
}

void sifr_lu(int32_t dtype, int64_t batch, int64_t rows, int64_t columns, const void* in, void* out, int32_t* pivots, int32_t* info) {
    const int64_t rank = rows < columns ? rows : columns;
    each_matrix(dtype, batch, [&](auto kind, int64_t m) -> sifr_status {
        using T = decltype(kind);
        T* lu = matrix<T>(out, m, rows * columns);
        copy_elements(lu, matrix<T>(in, m, rows * columns), rows * columns);
        info[m] = static_cast<int32_t>(factor_lu(lu, rows, columns, pivots + m * rank));
        for (int64_t k = 0; k < rank; ++k) ++pivots[m * rank + k];
        return SIFR_OK;
    });
}

sifr_status sifr_solve(int32_t dtype, int64_t batch, bool batched, int64_t n, int64_t k, const void* a, const void* b, void* x) {
    Scratch<int32_t> pivots(n);
    return each_matrix(dtype, batch, [&](auto kind, int64_t m) -> sifr_status {
        using T = decltype(kind);
        Scratch<T> lu(n * n);
        copy_elements(lu.data, matrix<T>(a, m, n * n), n * n);
        if (factor_lu(lu.data, n, n, pivots.data) != 0) {
            Text message;
            name_batch(message, "torch.linalg.solve", batched, m);
            message << "The solver failed because the input matrix is singular.";
            return fail(SIFR_LINALG_ERROR, message);
        }
        T* solution = matrix<T>(x, m, n * k);
        copy_elements(solution, matrix<T>(b, m, n * k), n * k);
        solve_with_lu(lu.data, pivots.data, solution, n, k);
        return SIFR_OK;
    });
}

sifr_status sifr_inverse(int32_t dtype, int64_t batch, bool batched, int64_t n, const void* in, void* out) {
    Scratch<int32_t> pivots(n);
    return each_matrix(dtype, batch, [&](auto kind, int64_t m) -> sifr_status {
        using T = decltype(kind);
        Scratch<T> lu(n * n);
        copy_elements(lu.data, matrix<T>(in, m, n * n), n * n);
        if (const int64_t column = factor_lu(lu.data, n, n, pivots.data)) {
            Text message;
            name_batch(message, "linalg.inv", batched, m);
            message << "The diagonal element " << column
                    << " is zero, the inversion could not be completed because the input matrix is singular.";
            return fail(SIFR_LINALG_ERROR, message);
        }
        T* inverse = matrix<T>(out, m, n * n);
        for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = 0; j < n; ++j) inverse[i * n + j] = i == j ? 1 : 0;
        }
        solve_with_lu(lu.data, pivots.data, inverse, n, n);
        return SIFR_OK;
    });
}

void sifr_det(int32_t dtype, int64_t batch, int64_t n, const void* in, void* out) {
    Scratch<int32_t> pivots(n);
    each_matrix(dtype, batch, [&](auto kind, int64_t m) -> sifr_status {
        using T = decltype(kind);
        Scratch<T> lu(n * n);
        copy_transposed(lu.data, matrix<T>(in, m, n * n), n);
        factor_lu(lu.data, n, n, pivots.data);
        T product = static_cast<T>(sign_of_swaps(pivots.data, n));
        for (int64_t k = 0; k < n; ++k) product *= lu[k * n + k];
        static_cast<T*>(out)[m] = product;
        return SIFR_OK;
    });
}

void sifr_slogdet(int32_t dtype, int64_t batch, int64_t n, const void* in, void* sign, void* logabsdet) {
    Scratch<int32_t> pivots(n);
    each_matrix(dtype, batch, [&](auto kind, int64_t m) -> sifr_status {
        using T = decltype(kind);
        Scratch<T> lu(n * n);
        copy_transposed(lu.data, matrix<T>(in, m, n * n), n);
        factor_lu(lu.data, n, n, pivots.data);
        T signum = static_cast<T>(sign_of_swaps(pivots.data, n));
        T logarithm = 0;
        for (int64_t k = 0; k < n; ++k) {
            const T pivot = lu[k * n + k];
            if (pivot == 0) signum = 0;
            if (pivot < 0) signum = -signum;
            logarithm += static_cast<T>(log(fabs(static_cast<double>(pivot))));  // of zero: -inf
        }
        static_cast<T*>(sign)[m] = signum;
        static_cast<T*>(logabsdet)[m] = logarithm;
        return SIFR_OK;
    });
}

void sifr_solve_triangular(int32_t dtype, int64_t batch, int64_t n, int64_t k, const void* a, const void* b, bool upper, bool left,
                           bool unitriangular, void* x) {
    each_matrix(dtype, batch, [&](auto kind, int64_t m) -> sifr_status {
        using T = decltype(kind);
        const T* t = matrix<T>(a, m, n * n);
        T* solution = matrix<T>(x, m, n * k);
        copy_elements(solution, matrix<T>(b, m, n * k), n * k);
        // X A = B is Aᵀ Xᵀ = Bᵀ: the same elimination with both read the other way round.
        const auto coefficient = [&](int64_t i, int64_t j) { return left ? t[i * n + j] : t[j * n + i]; };
        const auto unknown = [&](int64_t i, int64_t j) -> T& { return left ? solution[i * k + j] : solution[j * n + i]; };
        const bool upwards = upper == left;
        for (int64_t step = 0; step < n; ++step) {
            const int64_t i = upwards ? n - 1 - step : step;
            for (int64_t j = 0; j < k; ++j) {
                T sum = unknown(i, j);
                for (int64_t p = upwards ? i + 1 : 0; p < (upwards ? n : i); ++p) sum -= coefficient(i, p) * unknown(p, j);
                unknown(i, j) = unitriangular ? sum : sum / coefficient(i, i);
            }
        }
        return SIFR_OK;
    });
}

void sifr_qr(int32_t dtype, int64_t batch, int64_t rows, int64_t columns, const void* in, bool complete, void* q, void* r) {
    const int64_t rank = rows < columns ? rows : columns;
    const int64_t width = complete ? rows : rank;
    each_matrix(dtype, batch, [&](auto kind, int64_t m) -> sifr_status {
        using T = decltype(kind);
        Scratch<T> a(rows * columns);
        copy_elements(a.data, matrix<T>(in, m, rows * columns), rows * columns);
        Scratch<T> scale(rank);  // reflection j is I - scale·v·vᵀ, v[j] = 1 and below it what is left in column j
        for (int64_t j = 0; j < rank; ++j) {
            double below = 0;
            for (int64_t i = j + 1; i < rows; ++i) {
                const auto value = static_cast<double>(a[i * columns + j]);
                below += value * value;
            }
            const double head = static_cast<double>(a[j * columns + j]);
            if (below == 0) {  // nothing to reflect: R keeps the sign, as LAPACK does
                scale[j] = 0;
                continue;
            }
            const double norm = -copysign(sqrt(head * head + below), head);
            scale[j] = static_cast<T>((norm - head) / norm);
            for (int64_t i = j + 1; i < rows; ++i) {
                T& value = a[i * columns + j];
                value = static_cast<T>(static_cast<double>(value) / (head - norm));
            }
            a[j * columns + j] = static_cast<T>(norm);
            for (int64_t c = j + 1; c < columns; ++c) {
                T dot = a[j * columns + c];
                for (int64_t i = j + 1; i < rows; ++i) dot += a[i * columns + j] * a[i * columns + c];
                dot *= scale[j];
                a[j * columns + c] -= dot;
                for (int64_t i = j + 1; i < rows; ++i) a[i * columns + c] -= dot * a[i * columns + j];
            }
        }
        T* upper = matrix<T>(r, m, width * columns);
        for (int64_t i = 0; i < width; ++i) {
            for (int64_t j = 0; j < columns; ++j) upper[i * columns + j] = j >= i ? a[i * columns + j] : T{0};
        }
        // Q: the reflections applied to the identity, last one first.
        T* orthogonal = matrix<T>(q, m, rows * width);
        for (int64_t i = 0; i < rows; ++i) {
            for (int64_t j = 0; j < width; ++j) orthogonal[i * width + j] = i == j ? 1 : 0;
        }
        for (int64_t j = rank - 1; j >= 0; --j) {
            for (int64_t c = 0; c < width; ++c) {
                T dot = orthogonal[j * width + c];
                for (int64_t i = j + 1; i < rows; ++i) dot += a[i * columns + j] * orthogonal[i * width + c];
                dot *= scale[j];
                orthogonal[j * width + c] -= dot;
                for (int64_t i = j + 1; i < rows; ++i) orthogonal[i * width + c] -= dot * a[i * columns + j];
            }
        }
        return SIFR_OK;
    });
}

}  // extern "C"
