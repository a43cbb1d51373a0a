// Matrix products with what is done to each finished sum.
//
//   %c = mm %a, %b; %d = add %c, %bias; %e = relu %d
//   =>  contract acc over p, i, j { out[n*i + j] = max(acc + bias[j], 0) }
//
// Operands are read where they lie: an extract of memory only changes the strides.

#include "ir/base/check.h"
#include "passes/fusion/nest.h"

namespace sifr {

namespace {

/// The memory that an operand is read from, and where its element `at` lies.
std::pair<BufferId, Affine> memory_of(Emitter& e, ValueId v, Coords at) {
    const Function& f = e.function();
    while (!e.is_parameter(v)) {
        const Inst& inst = e.producer(v);
        SIFR_CHECK(inst.op == "extract"_op, "the operand of a product is computed by '{}'", name_of(inst.op));
        auto inner = frame_coords(inst.attrs.get<Layout>("layout"), f.type(inst.operands[0]).sizes, at, e.index_vars(inst), e.ranges());
        SIFR_CHECK(inner, "the operand of a product without constant strides");
        at = *inner;
        v = inst.operands[0];
    }
    return {e.buffer_of(v), linear(at, f.type(v).sizes)};
}

}  // namespace

void GroupLowering::contraction() {
    const Inst* product = nullptr;
    for (InstId id : f_[group_.regions[0]].insts) {
        if (def(f_[id].op).lower == Lower::Contraction) product = &f_[id];
    }
    SIFR_CHECK(product, "a contraction without a product");
    for (const Output& o : outputs_) {
        if (o.insert && !in_place_[o.result]) copy_rest(o);
    }
    const Type &a = f_.type(product->operands[0]), &b = f_.type(product->operands[1]), &out = f_.type(product->results[0]);
    size_t rank = out.sizes.size();
    SIFR_CHECK(rank == 2 || rank == 3, "a product of {} axes", rank);
    Contract c;
    c.type = out.dtype;
    c.batch = rank == 3 ? out.sizes[0] : 1;
    c.m = out.sizes[rank - 2];
    c.n = out.sizes[rank - 1];
    c.k = a.sizes[rank - 1];
    e_.open();
    c.batch_var = e_.loop_var("p", c.batch);
    c.m_var = e_.loop_var("i", c.m);
    c.n_var = e_.loop_var("j", c.n);
    VarId k = e_.loop_var("k", c.k);
    auto coords = [&](const Type& t, VarId row, VarId column) {
        Coords at;
        if (rank == 3) at.at.push_back(t.sizes[0] == 1 ? Affine{} : Affine::of(c.batch_var));
        at.at.push_back(Affine::of(row));
        at.at.push_back(Affine::of(column));
        return at;
    };
    auto operand = [&](ValueId v, VarId row, VarId column, BufferId& buffer, Affine& base, int64_t& row_stride, int64_t& column_stride) {
        auto [memory, place] = memory_of(e_, v, coords(f_.type(v), row, column));
        buffer = memory;
        row_stride = place.scale_of(row);
        column_stride = place.scale_of(column);
        std::erase_if(place.terms, [&](const Affine::Term& t) { return t.var == row || t.var == column; });
        base = place;
    };
    operand(product->operands[0], c.m_var, k, c.a, c.a_base, c.a_m, c.a_k);
    operand(product->operands[1], k, c.n_var, c.b, c.b_base, c.b_k, c.b_n);
    SIFR_CHECK(a.dtype == b.dtype && a.dtype == c.type, "a product of {} and {} in {}", name_of(a.dtype), name_of(b.dtype), name_of(c.type));
    c.acc = e_.kernel.add_var("acc", c.type);
    e_.name_value(product->results[0], c.acc);
    Coords at = coords(out, c.m_var, c.n_var);
    for (const Output& o : outputs_) e_.element(o.value, at);
    for (const Output& o : outputs_) store(o, at);
    c.epilogue = e_.close();
    e_.append(Stmt{std::move(c), product->location});
}

}  // namespace sifr
