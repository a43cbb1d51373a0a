#include "ir/op/rows/rows.h"
#include "ir/op/rules/gradient.h"
#include "ir/op/rules/linalg_rules.h"

// Matrix products (`mm` and `bmm` are the contractions; the others are written in them) and factorisations.

namespace sifr::rows {
namespace {

using namespace rules;

V column(V v) { return reshape(v, {v.type().numel(), 1}); }
V row(V v) { return reshape(v, {1, v.type().numel()}); }
V as_matrix_product(V a, V v) { return reshape(mm(a, column(v)), {sizes_of(a)[0]}); }
V outer_product(V a, V b) { return column(a) * row(b); }

V times(V v, double known, V number) { return known == 1 ? v : v * number; }
/// v · operand k, left out where that is known to be 1.
V times(Vjp& v, V value, size_t k) { return times(value, known(v, k).value_or(0), in(v, k)); }
V times(Composite& c, V value, size_t k) { return times(value, c.b.function().constant_float(c.in(k)).value_or(0), c.in(k)); }

/// beta · self + alpha · product, without `self` where beta is 0.
V accumulated(Composite& c, V product) {
    V scaled = times(c, product, 4);
    if (c.b.function().constant_float(c.in(3)).value_or(1) == 0) return scaled;
    return times(c, c.in(0), 3) + scaled;
}

V transposed(V a) { return mt(a); }

V inverse_of(V a) { return apply("linalg_inv"_op, a); }

/// Lower triangle with the diagonal halved.
V half_lower(V a) {
    V lower = emit(a, "tril"_op, {a}, attrs({{"diagonal", int64_t{0}}}));
    V strict = emit(a, "tril"_op, {a}, attrs({{"diagonal", int64_t{-1}}}));
    return (lower + strict) * 0.5;
}
V product(V a, V b) {
    if (rank_of(a) == 2) return mm(a, b);
    Sizes batch = sizes_of(a), bs = sizes_of(b);
    int64_t n = 1;
    for (size_t d = 0; d + 2 < batch.size(); ++d) n *= batch[d];
    V p = bmm(reshape(a, {n, batch[batch.size() - 2], batch.back()}), reshape(b, {n, bs[bs.size() - 2], bs.back()}));
    batch.back() = bs.back();
    return reshape(p, batch);
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
    Sizes s = sizes_of(scale);
    s.push_back(1);
    s.push_back(1);
    return {(reshape(scale, s) * transposed(inverse_of(in(v, 0)))).id};
}
Grads slogdet_vjp(Vjp& v) {
    if (!v.needs(0)) return {ValueId()};
    V g{&v.b, v.grad(1)};
    Sizes s = sizes_of(g);
    s.push_back(1);
    s.push_back(1);
    return {(reshape(g, s) * transposed(inverse_of(in(v, 0)))).id};
}
/// A X = B: gB = A⁻ᵀ g, gA = -gB Xᵀ.
Grads solve_vjp(Vjp& v) {
    V a = in(v, 0), x = out(v), g{&v.b, v.grad()};
    bool vector = rank_of(x) == rank_of(a) - 1;
    Grads none(2);
    if (!v.needs(0) && !v.needs(1)) return none;
    V gb = emit(g, "linalg_solve"_op, {transposed(a), g});
    Grads grads(2);
    if (v.needs(1)) grads[1] = v.to(1, gb);
    if (v.needs(0)) {
        V left = vector ? unsqueeze(gb, rank_of(gb)) : gb, right = vector ? unsqueeze(x, rank_of(x)) : x;
        grads[0] = v.to(0, -product(left, transposed(right)));
    }
    return grads;
}

}  // namespace

Rows linalg() {
    constexpr Lower K = Lower::Contraction, C = Lower::Composite, L = Lower::Library;
    return {
        {.name = "mm", .sig = "(T self, T mat2) -> T", .lower = K, .infer = mm_result, .saves = {save_in(0, 2), save_in(1, 1)},
         .node = "MmBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return mm(g, mt(in(v, 1))); }, [](Vjp& v, V g) { return mm(mt(in(v, 0)), g); }>,
         .inplace = false},
        {.name = "bmm", .sig = "(T self, T mat2) -> T", .lower = K, .infer = bmm_result, .saves = {save_in(0, 2), save_in(1, 1)},
         .node = "BmmBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return bmm(g, mt(in(v, 1))); }, [](Vjp& v, V g) { return bmm(mt(in(v, 0)), g); }>,
         .inplace = false},
        {.name = "mv", .sig = "(T self, T vec) -> T", .lower = C, .infer = mv_result, .saves = {save_in(0, 2), save_in(1, 1)},
         .node = "MvBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return outer_product(g, in(v, 1)); },
                          [](Vjp& v, V g) { return as_matrix_product(mt(in(v, 0)), g); }>,
         .decompose = composite<[](Composite& c) { return as_matrix_product(c.in(0), c.in(1)); }>, .inplace = false},
        {.name = "dot", .sig = "(T self, T tensor) -> T", .lower = C, .infer = dot_result, .saves = {save_in(0, 2), save_in(1, 1)},
         .node = "DotBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * in(v, 1); }, [](Vjp& v, V g) { return g * in(v, 0); }>,
         .decompose = composite<[](Composite& c) { return reshape(mm(row(c.in(0)), column(c.in(1))), {}); }>, .inplace = false},
        {.name = "outer", .sig = "(T self, T vec2) -> T", .lower = C, .infer = outer_result, .saves = {save_in(0, 2), save_in(1, 1)},
         .node = "MulBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return sum(g * row(in(v, 1)), {1}, false); },
                          [](Vjp& v, V g) { return sum(g * column(in(v, 0)), {0}, false); }>,
         .decompose = composite<[](Composite& c) { return outer_product(c.in(0), c.in(1)); }>, .inplace = false},
        {.name = "addmm", .sig = "(T self, T mat1, T mat2, *, Scalar beta=1, Scalar alpha=1) -> T", .lower = C, .infer = addmm_result,
         .saves = {save_in(1, 4), save_in(2, 2)}, .node = "AddmmBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return times(v, g, 3); }, [](Vjp& v, V g) { return times(v, mm(g, mt(in(v, 2))), 4); },
                          [](Vjp& v, V g) { return times(v, mm(mt(in(v, 1)), g), 4); }>,
         .decompose = composite<[](Composite& c) { return accumulated(c, mm(c.in(1), c.in(2))); }>},
        {.name = "addmv", .sig = "(T self, T mat, T vec, *, Scalar beta=1, Scalar alpha=1) -> T", .lower = C, .infer = addmv_result,
         .saves = {save_in(1, 4), save_in(2, 2)}, .node = "AddmvBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return times(v, g, 3); }, [](Vjp& v, V g) { return times(v, outer_product(g, in(v, 2)), 4); },
                          [](Vjp& v, V g) { return times(v, as_matrix_product(mt(in(v, 1)), g), 4); }>,
         .decompose = composite<[](Composite& c) { return accumulated(c, as_matrix_product(c.in(1), c.in(2))); }>},
        {.name = "baddbmm", .sig = "(T self, T batch1, T batch2, *, Scalar beta=1, Scalar alpha=1) -> T", .lower = C,
         .infer = baddbmm_result, .saves = {save_in(1, 4), save_in(2, 2)}, .node = "BaddbmmBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return times(v, g, 3); }, [](Vjp& v, V g) { return times(v, bmm(g, mt(in(v, 2))), 4); },
                          [](Vjp& v, V g) { return times(v, bmm(mt(in(v, 1)), g), 4); }>,
         .decompose = composite<[](Composite& c) { return accumulated(c, bmm(c.in(1), c.in(2))); }>},
        {.name = "addr", .sig = "(T self, T vec1, T vec2, *, Scalar beta=1, Scalar alpha=1) -> T", .lower = C, .infer = addr_result,
         .saves = {save_in(1, 4), save_in(2, 2)}, .node = "AddrBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return times(v, g, 3); },
                          [](Vjp& v, V g) { return times(v, as_matrix_product(g, in(v, 2)), 4); },
                          [](Vjp& v, V g) { return times(v, as_matrix_product(mt(g), in(v, 1)), 4); }>,
         .decompose = composite<[](Composite& c) { return accumulated(c, outer_product(c.in(1), c.in(2))); }>},

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
         .runtime = "sifr_solve_triangular", .inplace = false},
        {.name = "linalg_qr", .sig = "(T self, string mode='reduced') -> (T Q, T R)", .lower = L, .infer = qr_result,
         .saves = {save_out(0), save_out(1)}, .node = "LinalgQrBackward0", .runtime = "sifr_qr", .inplace = false},
        {.name = "linalg_eigh", .sig = "(T self, string UPLO='L') -> (T eigenvalues, T eigenvectors)", .lower = L,
         .effect = Effect::Check, .infer = eigh_result, .saves = {save_out(0), save_out(1)}, .node = "LinalgEighBackward0",
         .runtime = "sifr_eigh", .inplace = false},
        {.name = "linalg_svd", .sig = "(T self, bool full_matrices=True) -> (T U, T S, T Vh)", .lower = L, .effect = Effect::Check,
         .infer = svd_result, .saves = {save_out(0), save_out(1), save_out(2)}, .node = "LinalgSvdBackward0", .runtime = "sifr_svd",
         .inplace = false},
    };
}

}  // namespace sifr::rows
