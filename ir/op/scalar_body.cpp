#include "ir/base/check.h"
#include "ir/op/op_def.h"

namespace sifr {

InstCall::InstCall(const Function& f, const Inst& inst)
    : call_{inst.op, {}, {}, {}, inst.attrs, DType::F32} {
    owned_layouts_.reserve(inst.operands.size());
    bool any_layout = false;
    for (ValueId v : inst.operands) {
        const Value& value = f[v];
        types_.push_back(value.type);
        constants_.push_back(value.def == Value::Def::Constant ? value.constant : ScalarConstant{});
        if (value.view.storage.valid()) {
            owned_layouts_.push_back(value.view.layout);
            layouts_.push_back(&owned_layouts_.back());
            any_layout = true;
        } else {
            layouts_.push_back(nullptr);
        }
    }
    call_.types = types_;
    call_.constants = constants_;
    if (any_layout) call_.layouts = layouts_;
    // The default dtype is not part of a function; a floating result tells what it was where it mattered.
    for (ValueId r : inst.results)
        if (f.type(r).is_tensor() && is_float(f.type(r).dtype)) call_.default_dtype = f.type(r).dtype;
}

ScalarBody scalar_body(const Function& f, const Inst& inst) {
    const OpDef& row = def(inst.op);
    SIFR_CHECK(row.scalar, "row '{}' has no scalar body", row.name);
    InstCall call(f, inst);
    DType compute = compute_dtype(call);
    auto widened = [](DType t) { return t == DType::F16 || t == DType::BF16 ? DType::F32 : t; };

    ScalarBody body;
    std::vector<ExprId> inputs;
    for (size_t k = 0; k < call->types.size(); ++k) {
        const Type& t = call->types[k];
        if (!t.is_tensor() && !t.is_number()) {  // None: the body looks at `valid()`
            inputs.emplace_back();
            continue;
        }
        // A known number becomes part of the body, so that formulas may look at it.
        const ScalarConstant& known = call->constants[k];
        if (t.is_number() && !(row.own_dtype >> k & 1) && !std::holds_alternative<std::monostate>(known)) {
            DType to = widened(compute);
            ExprId e = std::holds_alternative<double>(known) ? body.arena.constant(DType::F64, std::get<double>(known))
                       : std::holds_alternative<bool>(known) ? body.arena.constant_int(DType::Bool, std::get<bool>(known))
                                                             : body.arena.constant_int(DType::I64, std::get<int64_t>(known));
            inputs.push_back(body.arena.cast(e, to));
            continue;
        }
        DType own = t.is_tensor() ? t.dtype : dtype_of_number(t.kind);
        ExprId e = body.arena.input(static_cast<uint32_t>(k), own);
        if (row.own_dtype >> k & 1) {
            inputs.push_back(e);
            continue;
        }
        // Half precision tensors of another dtype are rounded to the compute dtype first; numbers keep F32's precision.
        if (t.is_tensor()) e = body.arena.cast(e, compute);
        inputs.push_back(body.arena.cast(e, widened(compute)));
    }
    ExprId root = row.scalar(body.arena, inputs, inst.attrs);
    DType result = inst.results.empty() ? infer_types(call)[0].dtype : f.type(inst.results[0]).dtype;
    body.root = body.arena.cast(root, result);
    return body;
}

}  // namespace sifr
