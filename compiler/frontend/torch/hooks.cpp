#include "compiler/frontend/torch/hooks.h"

#include <algorithm>

#include "compiler/frontend/torch/state.h"

namespace sifr::capture {
namespace {

const HookHandle* handle_of(PyValue v) { return static_cast<const HookHandle*>(v.object()); }

/// The hooks of a tensor that are still registered; a copy, since a hook may register or remove others.
std::vector<const HookHandle*> hooks_of(PyValue tensor, HookKind what) {
    std::vector<const HookHandle*> out;
    PyValue list = tensor_of(tensor)->hooks;
    if (list.is_unbound()) return out;
    for (PyValue h : list.as<ListObject>()->items)
        if (!handle_of(h)->removed && handle_of(h)->what == what) out.push_back(handle_of(h));
    return out;
}

}  // namespace

PyValue register_hook(Interpreter& in, PyValue tensor, PyValue function, HookKind what) {
    const TensorObject* t = tensor_of(tensor);
    AutogradState& autograd = in.autograd();
    if (!autograd.requires_grad(t->variable)) {
        if (what == HookKind::Gradient) raise("RuntimeError", "cannot register a hook on a tensor that doesn't require gradient");
        raise("RuntimeError", "cannot register a hook on a tensor that doesn't require gradient");
    }
    if (what == HookKind::PostAccumulate && !autograd.is_leaf(t->variable)) raise("RuntimeError", "post accumulate grad hooks cannot be registered on non-leaf tensors");
    auto* handle = in.heap().make<HookHandle>(torch_classes(in).hook_handle);
    handle->tensor = tensor;
    handle->function = function;
    handle->what = what;
    handle->node = autograd.grad_fn(t->variable);
    if (t->hooks.is_unbound()) in.heap().change(t).hooks = in.list({});
    in.heap().change(t->hooks.as<ListObject>()).items.push_back(PyValue(handle));
    return PyValue(handle);
}

PyValue apply_hooks(Interpreter& in, PyValue tensor, PyValue gradient) {
    for (const HookHandle* hook : hooks_of(tensor, HookKind::Gradient)) {
        PyValue got = in.call(hook->function, Values{gradient});
        if (got.is_none()) continue;
        if (!got.is(Kind::Tensor)) raise("TypeError", "expected Variable, but hook returned '{}'", in.type_name(got));
        const Type &old = type_of(in, gradient), &now = type_of(in, got);
        if (old.dtype != now.dtype)
            raise("RuntimeError", "hook '{}' has changed the type of value (was {} got {})", in.static_repr(in.find_attr(hook->function, symbol("__name__"))), tensor_type_name(old.dtype), tensor_type_name(now.dtype));
        if (old.sizes != now.sizes) {
            PyValue name = in.find_attr(hook->function, symbol("__name__"));
            raise("RuntimeError", "hook '{}' has changed the size of value", name.is(Kind::Str) ? name.as<StrObject>()->text : "hook");
        }
        gradient = got;
    }
    return gradient;
}

void run_post_accumulate_hooks(Interpreter& in, PyValue tensor) {
    for (const HookHandle* hook : hooks_of(tensor, HookKind::PostAccumulate)) {
        PyValue got = in.call(hook->function, Values{tensor});
        if (!got.is_none()) raise("RuntimeError", "Tensor post accumulate grad hooks should return None.");
    }
}

bool has_hooks(PyValue tensor) { return !hooks_of(tensor, HookKind::Gradient).empty(); }

void bind_hooks(Interpreter& in, const ClassObject* tensor) {
    static Protocol protocol;
    ClassObject* cls = in.add_class("RemovableHandle", "torch.utils.hooks", nullptr, &protocol);
    torch_classes(in).hook_handle = cls;
    in.add_method(cls, "remove", [](Interpreter& i, Args& a) {
        i.heap().change(handle_of(a[0])).removed = true;
        return PyValue::none();
    });
    in.add_method(tensor, "register_hook", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "register_hook(self, hook)");
        return register_hook(i, a["self"], a["hook"], HookKind::Gradient);
    });
    in.add_method(tensor, "register_post_accumulate_grad_hook", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "register_post_accumulate_grad_hook(self, hook)");
        return register_hook(i, a["self"], a["hook"], HookKind::PostAccumulate);
    });
}

}  // namespace sifr::capture
