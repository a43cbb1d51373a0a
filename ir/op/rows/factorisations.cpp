#include <optional>

#include "ir/base/diagnostic.h"
#include "ir/op/rows/rows.h"
#include "ir/op/rules/gradient.h"
#include "ir/op/rules/linalg_rules.h"

// Factorisations of matrices and what is solved with them: functions of the runtime on the last two axes, the others being a batch.

namespace sifr::rows {
namespace {

using namespace rules;

V transposed(V a) { return mt(a); }
V inverse_of(V a) { return apply("linalg_inv"_op, a); }
V lower_part(V a, int64_t diagonal = 0) { return emit(a, "tril"_op, {a}, attrs({{"diagonal", diagonal}})); }
V upper_part(V a, int64_t diagonal = 0) { return emit(a, "triu"_op, {a}, attrs({{"diagonal", diagonal}})); }
V diagonal_of(V d) { return emit(d, "diag_embed"_op, {d}); }
int64_t rows_of(V a) { return sizes_of(a)[sizes_of(a).size() - 2]; }
int64_t columns_of(V a) { return sizes_of(a).back(); }
V first_columns(V a, int64_t n) { return columns_of(a) == n ? a : slice(a, rank_of(a) - 1, 0, n); }
V first_rows(V a, int64_t n) { return rows_of(a) == n ? a : slice(a, rank_of(a) - 2, 0, n); }

/// A vector of numbers per matrix under one more axis, at the end.
V as_row(V v) { return unsqueeze(v, rank_of(v) - 1); }
V as_column(V v) { return unsqueeze(v, rank_of(v)); }

V half_lower(V a) { return (lower_part(a) + lower_part(a, -1)) * 0.5; }
V product(V a, V b) {
    if (rank_of(a) == 2) return mm(a, b);
    Sizes batch = sizes_of(a), bs = sizes_of(b);
    int64_t n = 1;
    for (size_t d = 0; d + 2 < batch.size(); ++d) n *= batch[d];
    V p = bmm(reshape(a, {n, batch[batch.size() - 2], batch.back()}), reshape(b, {n, bs[bs.size() - 2], bs.back()}));
    batch.back() = bs.back();
    return reshape(p, batch);
}
V solved_triangular(V a, V b, bool upper, bool left, bool unitriangular = false) {
    return emit(a, "linalg_solve_triangular"_op, {a, b}, attrs({{"upper", upper}, {"left", left}, {"unitriangular", unitriangular}}));
}

Grads cholesky_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    bool upper = v.inst.attrs.get_or("upper", false);
    V l = out(v), g{&v.b, v.grad()};
    if (upper) {
        l = transposed(l);
        g = transposed(g);
    }
    V inverse = inverse_of(l);
    V phi = half_lower(product(transposed(l), g));
    V s = product(product(transposed(inverse), phi), inverse);
    return {((s + transposed(s)) * 0.5).id};
}
Grads inv_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V t = transposed(out(v));
    return {(-product(product(t, V{&v.b, v.grad()}), t)).id};
}
Grads det_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V scale = V{&v.b, v.grad()} * out(v);
    return {(as_column(as_column(scale)) * transposed(inverse_of(in(v, 0)))).id};
}
Grads slogdet_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V g{&v.b, v.grad(1)};
    return {(as_column(as_column(g)) * transposed(inverse_of(in(v, 0)))).id};
}
/// A X = B: gB = A⁻ᵀ g, gA = -gB Xᵀ.
Grads solve_vjp(Vjp& v) {
    V a = in(v, 0), x = out(v), g{&v.b, v.grad()};
    bool vector = rank_of(x) == rank_of(a) - 1;
    Grads grads(2);
    if (!v.needs(0) && !v.needs(1)) return grads;
    V gb = emit(g, "linalg_solve"_op, {transposed(a), g});
    if (v.needs(1)) grads[1] = v.to(1, gb);
    if (v.needs(0)) {
        V left = vector ? as_column(gb) : gb, right = vector ? as_column(x) : x;
        grads[0] = v.to(0, -product(left, transposed(right)));
    }
    return grads;
}
Grads solve_triangular_vjp(Vjp& v) {
    Grads grads(2);
    if (!v.needs(0) && !v.needs(1)) return grads;
    const Attrs& a = v.inst.attrs;
    bool upper = a.get<bool>("upper"), left = a.get_or("left", true), unit = a.get_or("unitriangular", false);
    V x = out(v), gb = solved_triangular(transposed(in(v, 0)), V{&v.b, v.grad()}, !upper, left, unit);
    if (v.needs(1)) grads[1] = v.to(1, gb);
    if (v.needs(0)) {
        V full = -(left ? product(gb, transposed(x)) : product(transposed(x), gb));
        grads[0] = v.to(0, upper ? upper_part(full, unit ? 1 : 0) : lower_part(full, unit ? -1 : 0));
    }
    return grads;
}

/// Of A = Q R. Tall: (gQ + Q·sym(triu(gR Rᵀ - Qᵀ gQ))) R⁻ᵀ, sym(X) = X + Xᵀ with its diagonal halved. Wide: by the square block in front.
Grads qr_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    if (v.inst.attrs.get_or<std::string>("mode", "reduced") == "complete" && rows_of(in(v, 0)) > columns_of(in(v, 0)))
        raise("RuntimeError", "The QR decomposition is not differentiable when mode='complete' and nrows > ncols");
    V q = out(v, 0), r = out(v, 1), gq{&v.b, v.grad(0)}, gr{&v.b, v.grad(1)};
    int64_t m = rows_of(r), n = columns_of(r);
    if (rows_of(in(v, 0)) >= n) {
        V inner = upper_part(product(gr, transposed(r)) - product(transposed(q), gq));
        V whole = inner + transposed(inner), halved = whole - upper_part(lower_part(whole)) * 0.5;
        return {v.to(0, solved_triangular(transposed(r), gq + product(q, halved), false, false))};
    }
    V skew = product(transposed(q), gq) - product(gr, transposed(r));
    V part = product(q, lower_part(skew - transposed(skew), -1));
    V square = solved_triangular(transposed(first_columns(r, m)), part, false, false);
    V rest = product(q, gr);
    return {v.to(0, insert_slice(rest, first_columns(rest, m) + square, rank_of(rest) - 1, 0))};
}

/// x / (b_j - b_i) off the diagonal, 0 on it.
V over_differences(V x, V values) {
    V gaps = as_row(values) - as_column(values);
    V eye = cast(diagonal_of(full_of(*x.b, dtype_of(x), sizes_of(values), 1)), DType::Bool);
    return where(eye, 0.0, x / where(eye, 1.0, gaps));
}
Grads eigh_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V vectors = out(v, 1), gl{&v.b, v.grad(0)};
    V inner = diagonal_of(gl);
    if (v.has_grad(1)) inner = inner + over_differences(product(transposed(vectors), V{&v.b, v.grad(1)}), out(v, 0));
    return {v.to(0, product(product(vectors, inner), transposed(vectors)))};
}
Grads svd_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V s = out(v, 1);
    int64_t k = columns_of(s);
    V u = first_columns(out(v, 0), k), vh = first_rows(out(v, 2), k);
    V inner = diagonal_of(V{&v.b, v.grad(1)});
    V squares = s * s;
    auto skew = [](V x) { return x - transposed(x); };
    std::optional<V> beside;
    if (v.has_grad(0)) {
        V gu = first_columns(V{&v.b, v.grad(0)}, k), dot = product(transposed(u), gu);
        inner = inner + over_differences(skew(dot), squares) * as_row(s);
        if (rows_of(u) > k) beside = product((gu - product(u, dot)) / as_row(s), vh);
    }
    if (v.has_grad(2)) {
        V gv = transposed(first_rows(V{&v.b, v.grad(2)}, k)), dot = product(vh, gv);
        inner = inner + as_column(s) * over_differences(skew(dot), squares);
        if (columns_of(vh) > k) {
            V part = product(u / as_row(s), transposed(gv - product(transposed(vh), dot)));
            beside = beside ? *beside + part : part;
        }
    }
    V whole = product(product(u, inner), vh);
    return {v.to(0, beside ? *beside + whole : whole)};
}

/// Of A = P L U, square: P L⁻ᵀ (tril(Lᵀ gL, -1) + triu(gU Uᵀ)) U⁻ᵀ.
V lu_gradient(V p, V l, V u, V gl, V gu) {
    V inner = lower_part(product(transposed(l), gl), -1) + upper_part(product(gu, transposed(u)));
    V right = solved_triangular(transposed(u), inner, false, false);
    return product(p, solved_triangular(transposed(l), right, true, true, true));
}
void need_square(V a) {
    if (rows_of(a) != columns_of(a)) throw NotSupported("the gradient of an LU factorisation of matrices that are not square");
}
Grads lu_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    need_square(in(v, 0));
    return {v.to(0, lu_gradient(out(v, 0), out(v, 1), out(v, 2), V{&v.b, v.grad(1)}, V{&v.b, v.grad(2)}))};
}
Grads lu_factor_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V a = in(v, 0), g{&v.b, v.grad(0)};
    need_square(a);
    std::vector<ValueId> parts = v.b.emit_all("linalg_lu"_op, {a});
    return {v.to(0, lu_gradient(V{&v.b, parts[0]}, V{&v.b, parts[1]}, V{&v.b, parts[2]}, lower_part(g, -1), upper_part(g)))};
}

/// The exponential of [[Aᵀ, g], [0, Aᵀ]] has the gradient in its upper right block.
Grads matrix_exp_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V a = transposed(in(v, 0)), g{&v.b, v.grad()};
    int64_t n = columns_of(a), last = rank_of(a) - 1;
    auto beside = [&](V x, V y, int64_t dim) { return V{&v.b, v.b.emit("cat"_op, {x, y}, attrs({{"dim", dim}}))}; };
    V block = beside(beside(a, g, last), beside(zeros_like(a), a, last), last - 1);
    V result = apply("linalg_matrix_exp"_op, block);
    return {v.to(0, slice(slice(result, last - 1, 0, n), last, n, n))};
}

}  // namespace

Rows factorisations() {
    constexpr Lower L = Lower::Library;
    return {
        {.name = "linalg_cholesky", .sig = "(T self, *, bool upper=False) -> T", .lower = L, .effect = Effect::Check,
         .infer = square_result, .saves = {save_out(0)}, .node = "LinalgCholeskyExBackward0", .vjp = cholesky_vjp,
         .runtime = "sifr_cholesky", .inplace = false},
        {.name = "linalg_inv", .sig = "(T self) -> T", .lower = L, .effect = Effect::Check, .infer = square_result,
         .saves = {save_out(0)}, .node = "LinalgInvExBackward0", .vjp = inv_vjp, .runtime = "sifr_inverse", .inplace = false},
        {.name = "linalg_det", .sig = "(T self) -> T", .lower = L, .infer = det_result, .saves = {save_in(0), save_out(0)},
         .node = "LinalgDetBackward0", .vjp = det_vjp, .runtime = "sifr_det", .inplace = false},
        {.name = "linalg_slogdet", .sig = "(T self) -> (T sign, T logabsdet)", .lower = L, .infer = slogdet_result, .saves = {save_in(0)},
         .node = "LinalgSlogdetBackward0", .vjp = slogdet_vjp, .runtime = "sifr_slogdet", .inplace = false},
        {.name = "linalg_solve", .sig = "(T self, T other) -> T", .lower = L, .effect = Effect::Check, .infer = solve_result,
         .saves = {save_in(0), save_out(0)}, .node = "LinalgSolveExBackward0", .vjp = solve_vjp, .runtime = "sifr_solve",
         .inplace = false},
        {.name = "linalg_solve_triangular", .sig = "(T self, T other, *, bool upper, bool left=True, bool unitriangular=False) -> T",
         .lower = L, .infer = solve_triangular_result, .saves = {save_in(0), save_out(0)}, .node = "LinalgSolveTriangularBackward0",
         .vjp = solve_triangular_vjp, .runtime = "sifr_solve_triangular", .inplace = false},
        {.name = "linalg_qr", .sig = "(T self, string mode='reduced') -> (T Q, T R)", .lower = L, .infer = qr_result,
         .saves = {save_out(0), save_out(1)}, .node = "LinalgQrBackward0", .vjp = qr_vjp, .runtime = "sifr_qr", .inplace = false},
        {.name = "linalg_eigh", .sig = "(T self, string UPLO='L') -> (T eigenvalues, T eigenvectors)", .lower = L,
         .effect = Effect::Check, .infer = eigh_result, .saves = {save_out(0), save_out(1)}, .node = "LinalgEighBackward0",
         .vjp = eigh_vjp, .runtime = "sifr_eigh", .inplace = false},
        {.name = "linalg_svd", .sig = "(T self, bool full_matrices=True) -> (T U, T S, T Vh)", .lower = L, .effect = Effect::Check,
         .infer = svd_result, .saves = {save_out(0), save_out(1), save_out(2)}, .node = "LinalgSvdBackward0", .vjp = svd_vjp,
         .runtime = "sifr_svd", .inplace = false},
        {.name = "linalg_lu", .sig = "(T self) -> (T P, T L, T U)", .lower = L, .infer = lu_result, .saves = {save_out(0), save_out(1), save_out(2)},
         .node = "LinalgLuBackward0", .vjp = lu_vjp, .runtime = "sifr_lu_matrices", .inplace = false, .method = false, .function = false},
        // Packed factors, pivots from 1, and 0 or the first column whose pivot is zero.
        {.name = "linalg_lu_factor_ex", .sig = "(T self) -> (T LU, T pivots, T info)", .lower = L, .infer = lu_factor_result,
         .saves = {save_in(0), save_out(0)}, .node = "LinalgLuFactorExBackward0", .vjp = lu_factor_vjp, .runtime = "sifr_lu",
         .inplace = false, .method = false, .function = false},
        {.name = "linalg_matrix_exp", .sig = "(T self) -> T", .lower = L, .infer = square_result, .saves = {save_in(0)},
         .node = "LinalgMatrixExpBackward0", .vjp = matrix_exp_vjp, .runtime = "sifr_matrix_exp", .inplace = false, .method = false,
         .function = false},
    };
}

}  // namespace sifr::rows
