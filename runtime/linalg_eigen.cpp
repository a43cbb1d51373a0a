// Eigenvalues of symmetric matrices and singular values, by Jacobi rotations: slower than reductions to tridiagonal form, and as accurate
// as the numbers allow. Everything is computed in double and rounded at the end.

#include <math.h>

#include "runtime/linalg.h"

using namespace sifr::rt;

namespace {

constexpr int32_t most_sweeps = 60;

/// Diagonalises the symmetric a [n, n] in place; the columns of v become its eigenvectors. False when it does not converge (NaN, infinity).
bool diagonalise(double* a, double* v, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) v[i * n + j] = i == j ? 1 : 0;
    }
    for (int32_t sweep = 0; sweep < most_sweeps; ++sweep) {
        double outside = 0;
        double all = 0;
        for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = 0; j < n; ++j) {
                all += a[i * n + j] * a[i * n + j];
                if (i != j) outside += a[i * n + j] * a[i * n + j];
            }
        }
        if (!isfinite(all)) return false;
        if (outside <= 1e-32 * all) return true;
        for (int64_t p = 0; p < n; ++p) {
            for (int64_t q = p + 1; q < n; ++q) {
                const double apq = a[p * n + q];
                if (apq == 0) continue;
                const double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
                const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(t * t + 1);
                const double s = t * c;
                for (int64_t k = 0; k < n; ++k) {
                    const double x = a[k * n + p];
                    const double y = a[k * n + q];
                    a[k * n + p] = c * x - s * y;
                    a[k * n + q] = s * x + c * y;
                }
                for (int64_t k = 0; k < n; ++k) {
                    const double x = a[p * n + k];
                    const double y = a[q * n + k];
                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = s * x + c * y;
                    const double vx = v[k * n + p];
                    const double vy = v[k * n + q];
                    v[k * n + p] = c * vx - s * vy;
                    v[k * n + q] = s * vx + c * vy;
                }
            }
        }
    }
    return true;
}

/// Positions by ascending (or descending) value; insertion sort, stable.
void order_values(const double* values, int64_t n, bool descending, int64_t* order) {
    for (int64_t k = 0; k < n; ++k) {
        int64_t at = k;
        for (; at > 0; --at) {
            const double before = values[order[at - 1]];
            if (descending ? before >= values[k] : before <= values[k]) break;
            order[at] = order[at - 1];
        }
        order[at] = k;
    }
}

/// One-sided Jacobi: rotates pairs of columns of a [rows, columns] (rows >= columns) until they are orthogonal; v [columns, columns]
/// gathers the rotations, so that a_old = a_new · vᵀ.
bool orthogonalise(double* a, double* v, int64_t rows, int64_t columns) {
    for (int64_t i = 0; i < columns; ++i) {
        for (int64_t j = 0; j < columns; ++j) v[i * columns + j] = i == j ? 1 : 0;
    }
    for (int64_t k = 0; k < rows * columns; ++k) {
        if (!isfinite(a[k])) return false;
    }
    const auto rotate = [](double* m, int64_t count, int64_t width, int64_t p, int64_t q, double c, double s) {
        for (int64_t k = 0; k < count; ++k) {
            const double x = m[k * width + p];
            const double y = m[k * width + q];
            m[k * width + p] = c * x - s * y;
            m[k * width + q] = s * x + c * y;
        }
    };
    for (int32_t sweep = 0; sweep < most_sweeps; ++sweep) {
        bool changed = false;
        for (int64_t p = 0; p < columns; ++p) {
            for (int64_t q = p + 1; q < columns; ++q) {
                double pp = 0, qq = 0, pq = 0;
                for (int64_t k = 0; k < rows; ++k) {
                    pp += a[k * columns + p] * a[k * columns + p];
                    qq += a[k * columns + q] * a[k * columns + q];
                    pq += a[k * columns + p] * a[k * columns + q];
                }
                if (fabs(pq) <= 1e-15 * sqrt(pp * qq)) continue;
                changed = true;
                const double zeta = (qq - pp) / (2 * pq);
                const double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(zeta * zeta + 1));
                const double c = 1 / sqrt(t * t + 1);
                rotate(a, rows, columns, p, q, c, t * c);
                rotate(v, columns, columns, p, q, c, t * c);
            }
        }
        if (!changed) break;
    }
    return true;
}

/// Completes column `at` of u [rows, columns] to a unit vector orthogonal to the columns in front: for a singular value of zero.
void complete_column(double* u, int64_t rows, int64_t columns, int64_t at) {
    double best = -1;
    Scratch<double> candidate(rows);
    for (int64_t axis = 0; axis < rows; ++axis) {
        for (int64_t k = 0; k < rows; ++k) candidate[k] = k == axis ? 1 : 0;
        for (int32_t pass = 0; pass < 2; ++pass) {
            for (int64_t j = 0; j < at; ++j) {
                double dot = 0;
                for (int64_t k = 0; k < rows; ++k) dot += u[k * columns + j] * candidate[k];
                for (int64_t k = 0; k < rows; ++k) candidate[k] -= dot * u[k * columns + j];
            }
        }
        double norm = 0;
        for (int64_t k = 0; k < rows; ++k) norm += candidate[k] * candidate[k];
        if (norm <= best) continue;
        best = norm;
        for (int64_t k = 0; k < rows; ++k) u[k * columns + at] = candidate[k] / sqrt(norm);
    }
}

}  // namespace

extern "C" {

sifr_status sifr_eigh(int32_t dtype, int64_t batch, bool batched, int64_t n, const void* in, bool upper, void* values, void* vectors) {
    return each_matrix(dtype, batch, [&](auto kind, int64_t m) -> sifr_status {
        using T = decltype(kind);
        const T* source = static_cast<const T*>(in) + m * n * n;
        Scratch<double> a(n * n), v(n * n), diagonal(n);
        Scratch<int64_t> order(n);
        for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = 0; j < n; ++j) {
                const bool given = i == j || (j < i) != upper;
                a[i * n + j] = static_cast<double>(given ? source[i * n + j] : source[j * n + i]);
            }
        }
        if (!diagonalise(a.data, v.data, n)) {
            Text message;
            name_batch(message, "linalg.eigh", batched, m);
            message << "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues "
                       "(error code: "
                    << n << ").";
            return fail(SIFR_LINALG_ERROR, message);
        }
        for (int64_t k = 0; k < n; ++k) diagonal[k] = a[k * n + k];
        order_values(diagonal.data, n, false, order.data);
        for (int64_t k = 0; k < n; ++k) {
            static_cast<T*>(values)[m * n + k] = static_cast<T>(diagonal[order[k]]);
            if (vectors == nullptr) continue;
            // The sign of an eigenvector is free; here its largest component is positive.
            double largest = 0;
            for (int64_t i = 0; i < n; ++i) {
                if (fabs(v[i * n + order[k]]) > fabs(largest)) largest = v[i * n + order[k]];
            }
            const double sign = largest < 0 ? -1 : 1;
            T* out = static_cast<T*>(vectors) + m * n * n;
            for (int64_t i = 0; i < n; ++i) out[i * n + k] = static_cast<T>(sign * v[i * n + order[k]]);
        }
        return SIFR_OK;
    });
}

sifr_status sifr_svd(int32_t dtype, int64_t batch, bool batched, int64_t rows, int64_t columns, const void* in, bool full,
                     void* u, void* s, void* vh) {
    const bool wide = columns > rows;  // then the transposed matrix is decomposed, and U and V change places
    const int64_t tall = wide ? columns : rows;
    const int64_t rank = wide ? rows : columns;
    const int64_t width = full ? tall : rank;  // columns of the tall side's vectors
    return each_matrix(dtype, batch, [&](auto kind, int64_t m) -> sifr_status {
        using T = decltype(kind);
        const T* source = static_cast<const T*>(in) + m * rows * columns;
        Scratch<double> a(tall * rank), v(rank * rank), norms(rank), left(tall * width);
        Scratch<int64_t> order(rank);
        for (int64_t i = 0; i < tall; ++i) {
            for (int64_t j = 0; j < rank; ++j) {
                a[i * rank + j] = static_cast<double>(wide ? source[j * columns + i] : source[i * columns + j]);
            }
        }
        if (!orthogonalise(a.data, v.data, tall, rank)) {
            Text message;
            name_batch(message, "linalg.svd", batched, m);
            message << "The algorithm failed to converge because the input matrix contained non-finite values.";
            return fail(SIFR_LINALG_ERROR, message);
        }
        double largest = 0;
        for (int64_t j = 0; j < rank; ++j) {
            double sum = 0;
            for (int64_t i = 0; i < tall; ++i) sum += a[i * rank + j] * a[i * rank + j];
            norms[j] = sqrt(sum);
            if (norms[j] > largest) largest = norms[j];
        }
        order_values(norms.data, rank, true, order.data);
        for (int64_t k = 0; k < rank; ++k) {
            const int64_t from = order[k];
            static_cast<T*>(s)[m * rank + k] = static_cast<T>(norms[from]);
            if (norms[from] > largest * 1e-15 && norms[from] > 0) {
                for (int64_t i = 0; i < tall; ++i) left[i * width + k] = a[i * rank + from] / norms[from];
            } else {
                complete_column(left.data, tall, width, k);
            }
        }
        for (int64_t k = rank; k < width; ++k) complete_column(left.data, tall, width, k);
        // A = left · S · vᵀ for the tall form.
        T* left_out = static_cast<T*>(wide ? vh : u);
        T* right_out = static_cast<T*>(wide ? u : vh);
        for (int64_t k = 0; k < width && left_out != nullptr; ++k) {
            T* out = left_out + m * tall * width;
            for (int64_t i = 0; i < tall; ++i) out[wide ? k * tall + i : i * width + k] = static_cast<T>(left[i * width + k]);
        }
        for (int64_t k = 0; k < rank; ++k) {
            for (int64_t i = 0; i < rank && right_out != nullptr; ++i) {
                T* out = right_out + m * rank * rank;
                out[wide ? i * rank + k : k * rank + i] = static_cast<T>(v[i * rank + order[k]]);
            }
        }
        return SIFR_OK;
    });
}

}  // extern "C"
