// A fill that a loop's kernels read from outside of the loop is made in the loop: its number is in the kernels then, and not in memory.
//
//   %z = full 0.0; for { %b = insert %a L, %z }    =>   for { %z = full 0.0; %b = insert %a L, %z }
//
// And what a kernel does in several steps, as several instructions, so that grouping sees one kind of each:
//
//   %s = sum %x                       =>   %r = sum.dim %x, dim=[1]; %s = sum.dim %r, dim=[0]     (inner axis first, as the
//                                          order of reductions over several axes is defined)
//   %c = mm %a, %b   (f16)            =>   %d = mm (cast %a), (cast %b)  (f32); %c = cast %d
//   %b = insert_add %a L, %p          =>   %e = extract %a L; %q = add %e, %p; %b = insert %a L, %q    (L names no place twice)

#include "passes/fusion/prepare.h"

#include <algorithm>
#include <map>

#include "ir/base/diagnostic.h"
#include "ir/func/builder.h"
#include "ir/op/rules/reduction_rules.h"

namespace sifr {

Op reduction_row(std::string_view combiner) {
    for (Op op : all_ops()) {
        const OpDef& row = def(op);
        if (row.lower != Lower::Reduction || !row.reduction || row.reduction != combiner || signature(op).result_count != 1) continue;
        for (const Param& p : signature(op).params) {
            if (p.name == "dim") return op;
        }
    }
    throw NotSupported(fmt::format("reductions by '{}' along one axis", combiner));
}

namespace {

const Param* dim_param(Op op) {
    for (const Param& p : signature(op).params) {
        if (p.name == "dim") return &p;
    }
    return nullptr;
}

/// Reductions along one axis, inner first; the result has the sizes of the instruction's own.
void split_reduction(Function& f, InstId id) {
    const Inst inst = f[id];
    const OpDef& row = def(inst.op);
    std::vector<int64_t> dims = rules::reduced_dims(InstCall(f, inst));
    if (dims.size() == 1 && dim_param(inst.op) && f.type(inst.operands[0]).rank() > 0) return;
    if (inst.results.size() != 1) throw NotSupported(fmt::format("'{}' of a 0-d tensor", row.name));
    Builder b(f, inst.parent, inst.location);
    b.before(id);
    const Type result = f.type(inst.results[0]);
    std::string_view combiner = row.reduction;
    bool arg = combiner == "argmax" || combiner == "argmin";
    ValueId v = inst.operands[0];
    if (arg && dims.size() != 1) {
        // The index counts all elements: over the flat value.
        v = b.reshape(v, {f.type(v).numel()});
        dims = {0};
    }
    if (dims.empty()) {  // of a 0-d value: over one element
        v = b.reshape(v, {1});
        dims = {0};
    }
    Op op = reduction_row(combiner);
    for (size_t k = dims.size(); k-- > 0;) {
        Sizes sizes = f.type(v).sizes;
        sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dims[k]));
        Attrs a;
        for (const Param& p : signature(op).params) {
            if (p.is_operand()) continue;
            if (p.name == "dim" && p.kind == Param::Kind::Int) a.set("dim", dims[k]);
            else if (p.name == "dim") a.set("dim", std::vector<int64_t>{dims[k]});
            else if (p.name == "keepdim") a.set("keepdim", false);
            else if (p.name == "dtype") a.set("dtype", result.dtype);
            else a.set(p.name, p.has_default ? p.default_value : AttrValue{});
        }
        InstId made = b.emit_typed(op, {v}, std::move(a), {Type::tensor(result.dtype, sizes)});
        v = f[made].results[0];
    }
    if (f.type(v).sizes != result.sizes) v = b.reshape(v, result.sizes);
    f[v].name = f[inst.results[0]].name;
    replace_uses(f, inst.results[0], v);
    f.erase(id);
}

/// Products of half precision are summed in F32 and rounded once.
void widen_contraction(Function& f, InstId id) {
    const Inst inst = f[id];
    DType t = f.type(inst.results[0]).dtype;
    if (t != DType::F16 && t != DType::BF16) return;
    Builder b(f, inst.parent, inst.location);
    b.before(id);
    ValueId wide = b.emit(inst.op, {b.cast(inst.operands[0], DType::F32), b.cast(inst.operands[1], DType::F32)}, inst.attrs);
    replace_uses(f, inst.results[0], b.cast(wide, t));
    f.erase(id);
}

/// Rows and columns of a triangle are known by rule: a literal.
void write_triangle(Function& f, InstId id, bool upper) {
    const Inst inst = f[id];
    const Type t = f.type(inst.results[0]);
    int64_t rows = inst.attrs.get<int64_t>("row"), columns = inst.attrs.get<int64_t>("col"), offset = inst.attrs.get_or<int64_t>("offset", 0);
    std::vector<int64_t> row_of, column_of;
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns; ++c) {
            if (upper ? c - r < offset : c - r > offset) continue;
            row_of.push_back(r);
            column_of.push_back(c);
        }
    }
    row_of.insert(row_of.end(), column_of.begin(), column_of.end());
    auto data = std::make_shared<TensorData>();
    data->dtype = t.dtype;
    size_t width = static_cast<size_t>(size_of(t.dtype));
    for (int64_t v : row_of) {
        for (size_t b = 0; b < width; ++b) data->bytes.push_back(static_cast<std::byte>(static_cast<uint64_t>(v) >> (8 * b)));
    }
    if (!is_integral(t.dtype)) throw NotSupported("indices of a triangle as floats");
    Builder b(f, inst.parent, inst.location);
    b.before(id);
    Attrs a;
    a.set("data", std::shared_ptr<const TensorData>(data));
    a.set("sizes", t.sizes);
    a.set("dtype", t.dtype);
    InstId made = b.emit_typed("literal"_op, {}, std::move(a), {t});
    replace_uses(f, inst.results[0], f[made].results[0]);
    f.erase(id);
}

bool split_insert_add(Function& f, InstId id) {
    const Inst inst = f[id];
    const Layout layout = inst.attrs.get<Layout>("layout");
    if (!layout.is_injective()) return false;
    Builder b(f, inst.parent, inst.location);
    b.before(id);
    std::vector<ValueId> indices(inst.operands.begin() + 2, inst.operands.end());
    ValueId before = b.extract(inst.operands[0], layout, indices);
    ValueId sum = b.emit("add"_op, {before, inst.operands[1]});
    ValueId out = layout.is_whole(f.type(inst.operands[0]).sizes) && layout.sizes == f.type(inst.operands[0]).sizes
                      ? sum
                      : b.insert(inst.operands[0], layout, sum, indices);
    replace_uses(f, inst.results[0], out);
    f.erase(id);
    return true;
}

/// The kernel of `user` writes the number of a fill that it reads as operand k, and needs no memory for it.
bool takes_number_of_fill(const Inst& user, size_t k) {
    if (user.op == "extract"_op) return true;
    if (user.op == "insert"_op) return k == 1;
    const Lower lower = def(user.op).lower;
    return lower == Lower::Pointwise || lower == Lower::Reduction;
}

void fills_of_loops(Function& f) {
    std::vector<InstId> order;
    walk(f, f.body, [&](InstId id) { order.push_back(id); });
    std::map<std::pair<uint32_t, uint32_t>, ValueId> made;  // by region and fill
    for (InstId id : order) {
        for (size_t k = 0; k < f[id].operands.size(); ++k) {
            const ValueId v = f[id].operands[k];
            const Inst* fill = f.producer(v);
            const RegionId here = f[id].parent;
            if (!fill || fill->op != "full"_op || fill->parent == here || !f.is_constant(fill->operands[0]) || !f.type(v).run_time_sizes.empty() ||
                f.type(v).numel() == 1 || !takes_number_of_fill(f[id], k))
                continue;
            ValueId& again = made[{here.index, v.index}];
            if (!again.valid()) {
                const Inst original = *fill;
                Builder b(f, here, original.location);
                b.before(id);
                const InstId copy = b.emit_typed(original.op, original.operands, original.attrs, {f.type(v)});
                f[copy].clears = original.clears;
                again = f[copy].results[0];
            }
            f[id].operands[k] = again;
        }
    }
}

/// Pure instructions whose results nobody reads, readers first.
void erase_unused(Function& f) {
    std::vector<int> uses(f.values.size(), 0);
    for (const Inst& i : f.insts) {
        if (i.erased) continue;
        for (ValueId v : i.operands) ++uses[v.index];
    }
    for (const Region& r : f.regions) {
        for (ValueId v : r.results) ++uses[v.index];
    }
    for (const Value& v : f.values) {
        for (const RunTimeSize& s : v.type.run_time_sizes) ++uses[s.size.index];
    }
    std::vector<InstId> order;
    walk(f, f.body, [&](InstId id) { order.push_back(id); });
    for (size_t k = order.size(); k-- > 0;) {
        const Inst& i = f[order[k]];
        if (i.erased || !i.regions.empty() || def(i.op).effect != Effect::Pure || i.results.empty()) continue;
        if (std::any_of(i.results.begin(), i.results.end(), [&](ValueId v) { return uses[v.index] != 0; })) continue;
        for (ValueId v : i.operands) --uses[v.index];
        f.erase(order[k]);
    }
}

}  // namespace

void prepare_for_fusion(Function& f) {
    std::vector<InstId> work;
    walk(f, f.body, [&](InstId id) { work.push_back(id); });
    for (InstId id : work) {
        if (def(f[id].op).lower == Lower::Reduction) split_reduction(f, id);
        else if (def(f[id].op).lower == Lower::Contraction) widen_contraction(f, id);
        else if (f[id].op == "triu_indices"_op || f[id].op == "tril_indices"_op) write_triangle(f, id, f[id].op == "triu_indices"_op);
        else if (f[id].op == "insert_add"_op) split_insert_add(f, id);
    }
    fills_of_loops(f);
    erase_unused(f);
}

}  // namespace sifr
