#include "compiler/frontend/torch/tensor_likes.h"

#include <algorithm>

#include "compiler/frontend/torch/emit.h"
#include "compiler/frontend/torch/state.h"

namespace sifr::capture {
namespace {

Symbol protocol_symbol() {
    static const Symbol s = symbol("__torch_function__");
    return s;
}

/// What has `__torch_function__` for a value; unbound for most.
PyValue tensor_like(Interpreter& in, PyValue v) {
    if (v.is(Kind::Instance)) return in.class_of(v)->lookup(protocol_symbol()).is_unbound() ? PyValue() : PyValue(in.class_of(v));
    if (v.is(Kind::Complex) || (v.is(Kind::DType) && is_complex(v.as_dtype()))) return in.get_attr(PyValue(in.import("torch._complex")), "Tensor");
    if (v.is(Kind::Native) && in.class_of(v)->name == "layout" && in.static_repr(v) != "torch.strided") return in.get_attr(PyValue(in.import("torch._sparse")), "Tensor");
    return {};
}

/// The classes of the tensor-likes in an argument, subclasses before what they derive from.
void collect(Interpreter& in, PyValue v, Values& classes) {
    if (v.is(Kind::List) || v.is(Kind::Tuple)) {
        const Values& items = v.is(Kind::List) ? v.as<ListObject>()->items : v.as<TupleObject>()->items;
        // Long rows of plain numbers are data.
        for (PyValue i : items) collect(in, i, classes);
        return;
    }
    PyValue found = tensor_like(in, v);
    if (found.is_unbound() || std::any_of(classes.begin(), classes.end(), [&](PyValue c) { return c.same(found); })) return;
    auto at = std::find_if(classes.begin(), classes.end(), [&](PyValue c) { return found.as<ClassObject>()->derives_from(c.as<ClassObject>()); });
    classes.insert(at, found);
}

std::string public_name(Interpreter& in, PyValue function) {
    if (const auto* f = function.get_if<FunctionObject>()) return in.need_str(f->globals->variables.get(symbol("__name__")), "a module's name") + "." + f->name;
    const auto* f = function.as<NativeFunctionObject>();
    return (f->self.is_unbound() ? "torch." : "torch.Tensor.") + f->name;
}

}  // namespace

PyValue call_tensor_likes(Interpreter& in, PyValue function, const Args& args, bool is_operator) {
    Values classes;
    for (PyValue v : args.positional) collect(in, v, classes);
    for (const auto& [name, value] : args.keywords) collect(in, value, classes);
    if (classes.empty()) return {};
    std::string name = public_name(in, function);
    Values positional = args.positional;
    if (const auto* f = function.get_if<NativeFunctionObject>(); f && !f->self.is_unbound()) {
        positional.insert(positional.begin(), f->self);
        function = in.get_attr(PyValue(torch_classes(in).tensor), symbol(f->name));
    }
    PyValue keywords = args.keywords.empty() ? PyValue::none() : in.dict();
    for (const auto& [keyword, value] : args.keywords) in.dict_set(keywords, in.str(*keyword), value);
    PyValue types = in.tuple(classes);
    for (PyValue cls : classes) {
        PyValue result = in.call(in.get_attr(cls, protocol_symbol()), Values{function, types, in.tuple(positional), keywords});
        if (!result.is(Kind::NotImplemented)) return result;
    }
    if (is_operator) return PyValue::not_implemented();
    std::string declined;
    for (PyValue cls : classes) declined += "\n  - tensor subclass " + in.need_str(in.repr_of(cls), "a class");
    raise("TypeError", "Multiple dispatch failed for '{}'; all __torch_function__ handlers returned NotImplemented:\n{}\n\nFor more information, try re-running with TORCH_LOGS=not_implemented", name, declined);
}

bool passes_for_tensor(Interpreter& in, PyValue v) { return v.is(Kind::Instance) && in.isinstance(v, torch_classes(in).tensor); }

void bind_tensor_likes(Interpreter& in) {
    in.override_call = [&in](PyValue callee, const Args& args) { return call_tensor_likes(in, callee, args); };
}

}  // namespace sifr::capture
