#include "ir/op/reduce_order.h"
#include "ir/op/rows/rows.h"
#include "ir/op/rules/gradient.h"
#include "ir/op/rules/linalg_rules.h"

// Matrix products (`mm` and `bmm` are the contractions; the others are written in them).

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

/// A column times a row is a plain product, in which -0 stays; sums of products start at +0.
bool is_outer(const Function& f, const Inst& inst) {
    const Type &a = f.type(inst.operands[0]), &b = f.type(inst.operands[1]);
    return is_outer_product(a.sizes[0], a.sizes[1], b.sizes[1]) && a.run_time_sizes.empty() && b.run_time_sizes.empty();
}

}  // namespace

Rows linalg() {
    constexpr Lower K = Lower::Contraction, C = Lower::Composite;
    return {
        {.name = "mm", .sig = "(T self, T mat2) -> T", .lower = K, .infer = mm_result, .saves = {save_in(0, 2), save_in(1, 1)},
         .node = "MmBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return mm(g, mt(in(v, 1))); }, [](Vjp& v, V g) { return mm(mt(in(v, 0)), g); }>,
         .decompose = composite<[](Composite& c) { return c.in(0) * c.in(1); }>,
         .decomposes = is_outer,
         .run_time_sizes = true,
         .inplace = false},
        {.name = "bmm",
         .sig = "(T self, T mat2) -> T",
         .lower = K,
         .infer = bmm_result,
         .saves = {save_in(0, 2), save_in(1, 1)},
         .node = "BmmBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return bmm(g, mt(in(v, 1))); }, [](Vjp& v, V g) { return bmm(mt(in(v, 0)), g); }>,
         .inplace = false},
        {.name = "mv", .sig = "(T self, T vec) -> T", .lower = C, .infer = mv_result, .saves = {save_in(0, 2), save_in(1, 1)},
         .node = "MvBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return outer_product(g, in(v, 1)); },
                          [](Vjp& v, V g) { return as_matrix_product(mt(in(v, 0)), g); }>,
         .decompose = composite<[](Composite& c) { return as_matrix_product(c.in(0), c.in(1)); }>, .run_time_sizes = true, .inplace = false},
        {.name = "dot", .sig = "(T self, T tensor) -> T", .lower = C, .infer = dot_result, .saves = {save_in(0, 2), save_in(1, 1)},
         .node = "DotBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return g * in(v, 1); }, [](Vjp& v, V g) { return g * in(v, 0); }>,
         .decompose = composite<[](Composite& c) { return reshape(mm(row(c.in(0)), column(c.in(1))), {}); }>, .run_time_sizes = true, .inplace = false},
        {.name = "outer", .sig = "(T self, T vec2) -> T", .lower = C, .infer = outer_result, .saves = {save_in(0, 2), save_in(1, 1)},
         .node = "MulBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return sum(g * row(in(v, 1)), {1}, false); },
                          [](Vjp& v, V g) { return sum(g * column(in(v, 0)), {0}, false); }>,
         .decompose = composite<[](Composite& c) { return outer_product(c.in(0), c.in(1)); }>, .inplace = false},
        {.name = "addmm", .sig = "(T self, T mat1, T mat2, *, Scalar beta=1, Scalar alpha=1) -> T", .lower = C, .infer = addmm_result,
         .saves = {save_in(1, 4), save_in(2, 2)}, .node = "AddmmBackward0",
         .vjp = gradients<[](Vjp& v, V g) { return times(v, g, 3); }, [](Vjp& v, V g) { return times(v, mm(g, mt(in(v, 2))), 4); },
                          [](Vjp& v, V g) { return times(v, mm(mt(in(v, 1)), g), 4); }>,
         .decompose = composite<[](Composite& c) { return accumulated(c, mm(c.in(1), c.in(2))); }>, .run_time_sizes = true},
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
    };
}

}  // namespace sifr::rows
