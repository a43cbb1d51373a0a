// Groups along one axis in order (scans), and groups that write their result piece by piece (concatenations).

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "passes/fusion/nest.h"

namespace sifr {

size_t dim_attribute(const Inst& inst, size_t rank) {
    int64_t d = inst.attrs.get<int64_t>("dim");
    return static_cast<size_t>(d < 0 ? d + static_cast<int64_t>(rank) : d);
}

void GroupLowering::scan() {
    const Inst& inst = e_.producer(outputs_.at(0).value);
    const Type in = f_.type(inst.operands[0]), out = f_.type(inst.results[0]);
    std::string_view combiner = def(inst.op).reduction;
    bool extremum = combiner == "max" || combiner == "min";
    bool product = combiner == "prod";
    if (!extremum && !product && combiner != "sum") throw NotSupported(fmt::format("a scan by '{}'", combiner));
    size_t axis = in.sizes.empty() ? 0 : dim_attribute(inst, in.sizes.size());
    int64_t length = in.sizes.empty() ? 1 : in.sizes[axis];
    // Half precision is accumulated in F32.
    DType own = extremum ? in.dtype : out.dtype;
    DType wide = own == DType::F16 || own == DType::BF16 ? DType::F32 : own;
    if (length == 0) return;
    std::vector<bool> walked(in.sizes.size(), true);
    if (!in.sizes.empty()) walked[axis] = false;
    std::vector<Affine> at;
    loops(in.sizes, walked, at, [&] {
        ExprArena& x = e_.kernel.exprs;
        VarId acc = e_.declare("acc", wide), where;
        if (extremum) {
            where = e_.declare("where", DType::I64);
            e_.append(Stmt{Let{acc, e_.cast(e_.element(inst.operands[0], Coords{false, at}), wide)}, {}});
            e_.append(Stmt{Let{where, x.constant_int(DType::I64, 0)}, {}});
        } else {
            e_.append(Stmt{Let{acc, product ? e_.cast(x.constant_int(DType::I64, 1), wide) : e_.cast(x.constant_int(DType::I64, 0), wide)}, {}});
        }
        e_.open();
        VarId k = e_.loop_var("k", length);
        std::vector<Affine> place = at;
        if (!place.empty()) place[axis] = Affine::of(k);
        Coords c{false, place};
        ExprId v = e_.bind(e_.cast(e_.element(inst.operands[0], c), wide), "value");
        ExprId old = x.var(acc, wide);
        if (extremum) {
            // The later one of equals; a NaN stays until the next one.
            ExprId better = x.binary(combiner == "max" ? ScalarOp::Ge : ScalarOp::Le, v, old);
            if (is_float(wide)) {
                ExprId fresh_nan = x.binary(ScalarOp::Ne, v, v);
                better = x.binary(ScalarOp::Or, fresh_nan, better);
            }
            better = e_.bind(better, "better");
            e_.append(Stmt{Assign{where, x.ternary(ScalarOp::Select, better, x.var(k), x.var(where))}, {}});
            e_.append(Stmt{Assign{acc, x.ternary(ScalarOp::Select, better, v, old)}, {}});
        } else {
            e_.append(Stmt{Assign{acc, x.binary(product ? ScalarOp::Mul : ScalarOp::Add, old, v)}, {}});
        }
        for (const Output& o : outputs_) {
            bool position = inst.results.size() == 2 && o.value == inst.results[1];
            ExprId value = position ? x.var(where) : e_.cast(x.var(acc, wide), out.dtype);
            e_.append(Stmt{Store{o.buffer, linear(c, out.sizes), value}, {}});
        }
        Block body = e_.close();
        e_.append(Stmt{For{.var = k, .lo = Affine::constant(0), .hi = Affine::constant(length), .kind = For::Kind::Serial, .body = std::move(body)}, inst.location});
    });
}

/// One loop nest for each piece.
void GroupLowering::concat() {
    const Output& o = outputs_.at(0);
    const Inst& inst = e_.producer(o.value);
    const Sizes& whole = f_.type(o.value).sizes;
    size_t dim = dim_attribute(inst, whole.size());
    int64_t begin = 0;
    for (ValueId v : inst.operands) {
        const Type& t = f_.type(v);
        if (t.numel() == 0) {
            if (t.sizes.size() == whole.size()) begin += t.sizes[dim];
            continue;  // nothing to write; an empty vector goes with pieces of any rank
        }
        std::vector<Affine> at;
        loops(t.sizes, std::vector<bool>(t.sizes.size(), true), at, [&] {
            Coords piece{false, at}, place{false, at};
            place.at[dim].base += begin;
            e_.append(Stmt{Store{o.buffer, linear(place, whole), e_.cast(e_.element(v, piece), f_.type(o.value).dtype)}, {}});
        });
        begin += t.sizes[dim];
    }
}

}  // namespace sifr
