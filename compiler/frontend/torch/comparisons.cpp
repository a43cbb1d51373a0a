// equal, isclose, allclose, and questions about dtypes.

#include "compiler/frontend/torch/binding.h"
#include "compiler/frontend/torch/rows.h"
#include "compiler/frontend/torch/run_time_sizes.h"
#include "compiler/frontend/torch/tensor_likes.h"

namespace sifr::capture {
namespace {

PyValue need_tensor(Interpreter& in, PyValue v, const char* function, const char* name, int position) {
    if (!v.is(Kind::Tensor)) raise("TypeError", "{}(): argument '{}' (position {}) must be Tensor, not {}", function, name, position, in.type_name(v));
    return v;
}

PyValue equal(Interpreter& in, Args& args) {
    ArgReader a(in, args, "equal(input, other)");
    PyValue x = need_tensor(in, a["input"], "equal", "input", 1), y = need_tensor(in, a["other"], "equal", "other", 2);
    bool same = type_of(in, x).run_time_sizes == type_of(in, y).run_time_sizes;
    if (!same) static_sizes(in, x, "torch.equal()"), static_sizes(in, y, "torch.equal()");
    if (type_of(in, x).sizes != type_of(in, y).sizes) return PyValue::boolean(false);
    if (type_of(in, x).numel() == 0) return PyValue::boolean(true);
    return item_of(in, call_rows(in, "all", {call_rows(in, "eq", {x, y})}));
}

/// |x - y| <= atol + rtol·|y|, where both are finite; equal otherwise.
PyValue isclose(Interpreter& in, PyValue x, PyValue y, PyValue rtol, PyValue atol, bool equal_nan) {
    DType tx = type_of(in, x).dtype, ty = type_of(in, y).dtype;
    if (tx != ty) raise("RuntimeError", "{} did not match {}", scalar_name(tx), scalar_name(ty));
    PyValue close = call_rows(in, "eq", {x, y});
    if (equal_nan && is_float(tx)) close = call_rows(in, "logical_or", {close, call_rows(in, "logical_and", {call_rows(in, "ne", {x, x}), call_rows(in, "ne", {y, y})})});
    PyValue allowed = call_rows(in, "add", {call_rows(in, "abs", {call_rows(in, "mul", {y, rtol})}), atol});
    PyValue actual = call_rows(in, "abs", {call_rows(in, "sub", {x, y})});
    PyValue near = call_rows(in, "le", {actual, allowed});
    if (is_float(tx)) near = call_rows(in, "logical_and", {near, call_rows(in, "lt", {actual, PyValue::real(std::numeric_limits<double>::infinity())})});
    return call_rows(in, "logical_or", {close, near});
}

PyValue isclose_of(Interpreter& in, Args& args, const char* form, const char* name) {
    ArgReader a(in, args, form);
    PyValue x = need_tensor(in, a["input"], name, "input", 1), y = need_tensor(in, a["other"], name, "other", 2);
    for (const char* bound : {"rtol", "atol"})
        if (a.has(bound) && a[bound].is_number() && !a[bound].is_dynamic() && !(in.need_float(a[bound], bound) >= 0))
            raise("RuntimeError", "{} must be greater than or equal to zero, but got {}", bound, in.need_float(a[bound], bound));
    bool nan = a.has("equal_nan") && in.need_bool(a["equal_nan"], "equal_nan");
    return isclose(in, x, y, a.has("rtol") ? a["rtol"] : PyValue::real(1e-5), a.has("atol") ? a["atol"] : PyValue::real(1e-8), nan);
}

DType need_dtype(Interpreter& in, PyValue v, const char* function) {
    if (!v.is(Kind::DType)) raise("TypeError", "{}(): argument must be torch.dtype, not {}", function, in.type_name(v));
    return v.as_dtype();
}

}  // namespace

void bind_comparisons(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor) {
    NativeCode close = [](Interpreter& i, Args& a) { return isclose_of(i, a, "isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)", "isclose"); };
    NativeCode all = [](Interpreter& i, Args& a) {
        PyValue near = isclose_of(i, a, "allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)", "allclose");
        return item_of(i, call_rows(i, "all", {near}));
    };
    in.add_function(torch, "equal", equal);
    in.add_method(tensor, "equal", equal);
    if (overloads("isclose").empty()) in.add_function(torch, "isclose", close), in.add_method(tensor, "isclose", close);
    in.add_function(torch, "allclose", all);
    in.add_method(tensor, "allclose", all);
    // A class answers `is_tensor` by isinstance, not by `__torch_function__`.
    in.set_global(torch, "is_tensor", in.native("is_tensor", [](Interpreter& i, Args& a) { return PyValue::boolean(a[0].is(Kind::Tensor) || passes_for_tensor(i, a[0])); }));
    in.add_function(torch, "is_nonzero", [](Interpreter& i, Args& a) {
        int64_t n = element_count(static_sizes(i, a[0], "is_nonzero()"));
        if (n != 1) raise("RuntimeError", "Boolean value of Tensor with {} is ambiguous", n == 0 ? "no values" : "more than one value");
        return i.truth(item_of(i, a[0]));
    });
    in.add_function(torch, "result_type", [](Interpreter& i, Args& args) {
        std::vector<Type> types;
        for (PyValue v : args.positional) {
            if (v.is(Kind::Tensor)) types.push_back(type_of(i, v));
            else types.push_back(i.function().type(i.to_ir(v)));
        }
        return PyValue::dtype(result_dtype(types, default_dtype(i)));
    });
    in.add_function(torch, "promote_types", [](Interpreter& i, Args& a) { return PyValue::dtype(promote(need_dtype(i, a[0], "promote_types"), need_dtype(i, a[1], "promote_types"))); });
    in.add_function(torch, "can_cast", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "can_cast(from_, to)");
        return PyValue::boolean(can_cast(need_dtype(i, a["from_"], "can_cast"), need_dtype(i, a["to"], "can_cast")));
    });
}

}  // namespace sifr::capture
