// Factorisations are checked by multiplying back, errors by PyTorch's texts.

#include <cmath>

#include "tests/runtime/support.h"

using namespace sifr::test;

namespace {

using Matrix = std::vector<double>;

Matrix multiply(const Matrix& a, const Matrix& b, int64_t m, int64_t k, int64_t n) {
    Matrix c(static_cast<size_t>(m * n), 0);
    for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
            double& sum = c[static_cast<size_t>(i * n + j)];
            for (int64_t p = 0; p < k; ++p) sum += a[static_cast<size_t>(i * k + p)] * b[static_cast<size_t>(p * n + j)];
        }
    }
    return c;
}

Matrix transposed(const Matrix& a, int64_t m, int64_t n) {
    Matrix t(a.size());
    for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) t[static_cast<size_t>(j * m + i)] = a[static_cast<size_t>(i * n + j)];
    }
    return t;
}

Matrix identity(int64_t n) {
    Matrix e(static_cast<size_t>(n * n), 0);
    for (int64_t k = 0; k < n; ++k) e[static_cast<size_t>(k * n + k)] = 1;
    return e;
}

void expect_near(const Matrix& a, const Matrix& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-12) << k;
}

const Matrix general = {2, -1, 0.5, 4, 1, 3, -2, 0.25, 1};  // [3, 3]

}  // namespace

TEST(Linalg, SolveAndInverseUndoAMultiplication) {
    const Matrix b = {1, 2, 3, 4, 5, 6};
    Matrix x(6), inverse(9);
    ASSERT_EQ(sifr_solve(SIFR_F64, 1, false, 3, 2, general.data(), b.data(), x.data()), SIFR_OK);
    expect_near(multiply(general, x, 3, 3, 2), b);
    ASSERT_EQ(sifr_inverse(SIFR_F64, 1, false, 3, general.data(), inverse.data()), SIFR_OK);
    expect_near(multiply(general, inverse, 3, 3, 3), identity(3));
}

TEST(Linalg, SingularMatricesHavePyTorchsTexts) {
    const Matrix singular = {1, 2, 2, 4};
    Matrix out(4);
    EXPECT_EQ(sifr_inverse(SIFR_F64, 1, false, 2, singular.data(), out.data()), SIFR_LINALG_ERROR);
    EXPECT_EQ(failure(),
              "torch._C._LinAlgError: linalg.inv: The diagonal element 2 is zero, the inversion could not be completed because the input "
              "matrix is singular.");
    Matrix two = {1, 0, 0, 1, 1, 2, 2, 4};
    Matrix twice(8);
    EXPECT_EQ(sifr_solve(SIFR_F64, 2, true, 2, 2, two.data(), two.data(), twice.data()), SIFR_LINALG_ERROR);
    EXPECT_EQ(failure(),
              "torch._C._LinAlgError: torch.linalg.solve: (Batch element 1): The solver failed because the input matrix is singular.");
    double det = 7;
    sifr_det(SIFR_F64, 1, 2, singular.data(), &det);
    EXPECT_EQ(det, 0);
    double sign = 0, logarithm = 0;
    sifr_slogdet(SIFR_F64, 1, 2, singular.data(), &sign, &logarithm);
    EXPECT_EQ(sign, 0);
    EXPECT_EQ(logarithm, -INFINITY);
    const Matrix indefinite = {1, 2, 2, 1};
    EXPECT_EQ(sifr_cholesky(SIFR_F64, 1, false, 2, indefinite.data(), false, out.data()), SIFR_LINALG_ERROR);
    EXPECT_EQ(failure(),
              "torch._C._LinAlgError: linalg.cholesky: The factorization could not be completed because the input is not positive-definite "
              "(the leading minor of order 2 is not positive-definite).");
}

TEST(Linalg, CholeskyFactorsMultiplyBack) {
    Matrix a = multiply(general, transposed(general, 3, 3), 3, 3, 3);
    Matrix l(9), u(9);
    ASSERT_EQ(sifr_cholesky(SIFR_F64, 1, false, 3, a.data(), false, l.data()), SIFR_OK);
    expect_near(multiply(l, transposed(l, 3, 3), 3, 3, 3), a);
    EXPECT_EQ(l[1], 0);
    ASSERT_EQ(sifr_cholesky(SIFR_F64, 1, false, 3, a.data(), true, u.data()), SIFR_OK);
    expect_near(u, transposed(l, 3, 3));
}

TEST(Linalg, DeterminantsAndPackedFactors) {
    double det = 0;
    sifr_det(SIFR_F64, 1, 3, general.data(), &det);
    EXPECT_NEAR(det, 12.0, 1e-12);
    double sign = 0, logarithm = 0;
    sifr_slogdet(SIFR_F64, 1, 3, general.data(), &sign, &logarithm);
    EXPECT_EQ(sign, 1);
    EXPECT_NEAR(logarithm, std::log(12.0), 1e-12);
    Matrix lu(9);
    int32_t pivots[3];
    int32_t info = -1;
    sifr_lu(SIFR_F64, 1, 3, 3, general.data(), lu.data(), pivots, &info);
    EXPECT_EQ(info, 0);
    EXPECT_EQ(pivots[0], 2);
    EXPECT_EQ(lu[0], 4);
}

TEST(Linalg, TriangularSystemsFromEitherSide) {
    const Matrix lower = {2, 0, 0, 1, 3, 0, -1, 4, 0.5};
    const Matrix upper = transposed(lower, 3, 3);
    const Matrix b = {1, 2, 3};
    Matrix x(3);
    sifr_solve_triangular(SIFR_F64, 1, 3, 1, lower.data(), b.data(), false, true, false, x.data());
    expect_near(multiply(lower, x, 3, 3, 1), b);
    sifr_solve_triangular(SIFR_F64, 1, 3, 1, upper.data(), b.data(), true, true, false, x.data());
    expect_near(multiply(upper, x, 3, 3, 1), b);
    sifr_solve_triangular(SIFR_F64, 1, 3, 1, upper.data(), b.data(), true, false, false, x.data());
    expect_near(multiply(x, upper, 1, 3, 3), b);
    sifr_solve_triangular(SIFR_F64, 1, 3, 1, lower.data(), b.data(), false, true, true, x.data());
    EXPECT_EQ(x, (Matrix{1, 1, 0}));
}

TEST(Linalg, QrHasLapacksSigns) {
    const Matrix tall = {1, 2, 3, 4, 5, 6};  // [3, 2]
    Matrix q(6), r(4);
    sifr_qr(SIFR_F64, 1, 3, 2, tall.data(), false, q.data(), r.data());
    expect_near(multiply(q, r, 3, 2, 2), tall);
    expect_near(multiply(transposed(q, 3, 2), q, 2, 3, 2), identity(2));
    EXPECT_LT(r[0], 0);
    EXPECT_EQ(r[2], 0);
}

TEST(Linalg, EigenvaluesAscendAndVectorsDiagonalise) {
    const Matrix a = {2, -1, 0, -1, 2, -1, 0, -1, 2};
    Matrix values(3), vectors(9);
    ASSERT_EQ(sifr_eigh(SIFR_F64, 1, false, 3, a.data(), false, values.data(), vectors.data()), SIFR_OK);
    expect_near(values, {2 - std::sqrt(2.0), 2, 2 + std::sqrt(2.0)});
    Matrix scaled = vectors;
    for (size_t i = 0; i < 3; ++i) {
        for (size_t k = 0; k < 3; ++k) scaled[3 * i + k] *= values[k];
    }
    expect_near(multiply(a, vectors, 3, 3, 3), scaled);
}

TEST(Linalg, SingularValuesDescendAndMultiplyBack) {
    for (const bool wide : {false, true}) {
        const Matrix a = {1, 2, 3, 4, 5, 6};
        const int64_t m = wide ? 2 : 3;
        const int64_t n = wide ? 3 : 2;
        Matrix u(static_cast<size_t>(m * 2)), s(2), vh(static_cast<size_t>(2 * n));
        ASSERT_EQ(sifr_svd(SIFR_F64, 1, false, m, n, a.data(), false, u.data(), s.data(), vh.data()), SIFR_OK);
        EXPECT_GT(s[0], s[1]);
        Matrix scaled = u;
        for (int64_t i = 0; i < m; ++i) {
            for (int64_t k = 0; k < 2; ++k) scaled[static_cast<size_t>(2 * i + k)] *= s[static_cast<size_t>(k)];
        }
        expect_near(multiply(scaled, vh, m, 2, n), a);
    }
    const Matrix bad = {1, NAN, 2, 3};
    Matrix s(2);
    EXPECT_EQ(sifr_svd(SIFR_F64, 1, false, 2, 2, bad.data(), false, nullptr, s.data(), nullptr), SIFR_LINALG_ERROR);
}
