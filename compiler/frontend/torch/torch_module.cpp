// The module `torch`: rows of the op table are its functions by themselves; the rest is bound here.

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/torch/autograd.h"
#include "compiler/frontend/torch/bind.h"
#include "compiler/frontend/torch/binding.h"
#include "compiler/frontend/torch/creation.h"
#include "compiler/frontend/torch/dump_bits.h"
#include "compiler/frontend/torch/known_names.h"
#include "compiler/frontend/torch/known_numbers.h"
#include "compiler/frontend/torch/messages.h"
#include "compiler/frontend/torch/modes.h"
#include "compiler/frontend/torch/prelude_functions.h"
#include "compiler/frontend/torch/printing.h"
#include "compiler/frontend/torch/return_types.h"
#include "compiler/frontend/torch/rows.h"
#include "compiler/frontend/torch/state.h"
#include "compiler/frontend/torch/storage_ops.h"
#include "compiler/frontend/torch/tensor_class.h"
#include "compiler/frontend/torch/tensor_likes.h"
#include "compiler/prelude/prelude.h"

namespace sifr::capture {
namespace {

/// `torch.zero(3)` and `torch.zero(x)`, which tutorials write and PyTorch lacks.
PyValue torch_zero(Interpreter& in, Args& args) {
    bool of_tensor = args.size() == 1 && args[0].is(Kind::Tensor);
    const char* meant = of_tensor ? "zero_" : "zeros";
    Diagnostic d = diagnose(torch_messages::no_torch_zero, in.span(), meant);
    d.help = fmt::format("write torch.{}", meant);
    in.warn(std::move(d));
    if (of_tensor) return fill_with(in, args[0], PyValue::integer(0), true);
    return in.call(in.get_attr(PyValue(in.import("torch")), "zeros"), args);
}

/// The object of a tensor that merging or loop carrying gives: the same kind of tensor as `like`, in another place.
PyValue merged_tensor(Interpreter& in, ValueId value, const TensorObject& like) {
    AutogradState& autograd = in.autograd();
    const Type type = in.function().type(value);
    VariableId variable;
    if (!autograd.requires_grad(like.variable) || autograd.is_leaf(like.variable)) {
        variable = autograd.fresh(type, autograd.requires_grad(like.variable), in.span());
    } else {
        bool grad = autograd.grad_enabled();
        if (!grad) autograd.set_grad_enabled(true);
        variable = autograd.record_node(autograd.grad_fn_name(like.variable), {like.variable}, {}, {type}, in.span()).at(0);
        if (!grad) autograd.set_grad_enabled(false);
    }
    PyValue made = make_tensor_object(in, value, variable, &like);
    TensorObject& t = in.heap().change(tensor_of(made));
    t.cls = like.cls;
    t.attributes = like.attributes;
    return made;
}

void fill_torch(Interpreter& in, const ModuleObject* torch) {
    const ClassObject* tensor = torch_classes(in).tensor;
    in.heap().change(torch->variables).overridable = true;
    bind_types(in, torch, tensor);
    bind_creation(in, torch, tensor);
    bind_random(in, torch);
    bind_contractions(in, torch, tensor);
    bind_shapes(in, torch, tensor);
    bind_counts(in, torch, tensor);
    bind_comparisons(in, torch, tensor);
    bind_printing(in, torch);
    bind_modes(in, torch);
    bind_autograd(in, torch, tensor);
    bind_machine(in, torch);
    in.add_function(torch, "zero", torch_zero);
    in.add_function(torch, "typename", [](Interpreter& i, Args& a) {
        if (a[0].is(Kind::Tensor)) return tensor_type_text(i, a[0]);
        const ClassObject* cls = a[0].is(Kind::Class) ? a[0].as<ClassObject>() : i.class_of(a[0]);
        return i.str(cls->module == "builtins" ? cls->qualname : cls->module + "." + cls->qualname);
    });
    in.add_function(torch, "zero_", [](Interpreter& i, Args& a) { return fill_with(i, a[0], PyValue::integer(0), true); });
    in.add_function(torch, "fill_", [](Interpreter& i, Args& a) { return fill_with(i, a[0], a[1]); });
    in.add_module("torch.return_types", [](Interpreter& i, const ModuleObject* m) {
        for (const auto& [name, cls] : torch_classes(i).return_types) i.set_global(m, name, PyValue(cls));
    });
    auto functions = std::make_shared<std::unordered_map<Symbol, PyValue>>();
    in.heap().change(torch).missing = [functions](Interpreter& i, Symbol name) -> PyValue {
        // Kept, so that a function is one object: scripts use them as keys. Not in the module, where a loop's first use of one would
        // look like something that the loop changes.
        PyValue& function = (*functions)[name];
        if (function.is_unbound()) function = row_function(i, *name);
        if (function.is_unbound()) function = prelude_function(i, *name);
        if (!function.is_unbound()) return function;
        if (is_torch_name("torch", *name)) throw NotSupported(fmt::format("torch.{}", *name));
        return {};
    };
}

/// What PyTorch has in module `name` and sifr has not is *not supported*; anything else is no attribute.
void refuse_known_names(Interpreter& in, const ModuleObject* m, const std::string& name) {
    // What torch.nn.functional has of other modules begins with an underscore there.
    for (const char* overridable : {"torch.nn.functional", "torch.nn._", "torch.linalg", "torch.special"})
        if (name.starts_with(overridable)) in.heap().change(m->variables).overridable = true;
    in.heap().change(m).missing = [name](Interpreter&, Symbol attribute) -> PyValue {
        if (is_torch_name(name, *attribute)) throw NotSupported(fmt::format("{}.{}", name, *attribute));
        return {};
    };
}

/// For the prelude: rows by name, and classes that are made here.
void fill_primitives(Interpreter& in, const ModuleObject* m) {
    in.set_global(m, "Parameter", PyValue(torch_classes(in).parameter));
    in.set_global(m, "Tensor", PyValue(torch_classes(in).tensor));
    // The function itself, past every `__torch_function__`.
    in.add_function(m, "call_native", [](Interpreter& i, Args& a) {
        Args args{Values(a.positional.begin() + 1, a.positional.end()), a.keywords};
        return a[0].as<NativeFunctionObject>()->code(i, args);
    });
    in.add_function(m, "known_numbers", [](Interpreter& i, Args& a) { return known_numbers(i, a[0]); });
    in.add_function(m, "plain_text", [](Interpreter& i, Args& a) { return plain_tensor_repr(i, a[0]); });
    in.add_function(m, "complex_text", [](Interpreter& i, Args& a) { return complex_tensor_repr(i, a[0], i.need_str(a[1], "a suffix")); });
    in.add_function(m, "return_type", [](Interpreter& i, Args& a) {
        return make_return_type(i, a[0].as<StrObject>()->text, Values(a.positional.begin() + 1, a.positional.end()));
    });
    // check(ok, type, text): raises `type: text` unless `ok`, a bool or a 0-d tensor of one, holds when the program runs.
    in.add_function(m, "check", [](Interpreter& i, Args& a) {
        PyValue ok = a[0].is(Kind::Tensor) ? item_of(i, a[0]) : a[0];
        i.check(ok, a[1].as<StrObject>()->text.c_str(), a[2].as<StrObject>()->text);
        return PyValue::none();
    });
    in.add_function(m, "unsafe_view", [](Interpreter& i, Args& a) { return unsafe_view(i, a[0], to_sizes(i, a[1], "a size")); });
    in.heap().change(m).missing = [](Interpreter& i, Symbol name) { return row_primitive(i, *name); };
}

}  // namespace

void bind_torch(Interpreter& in) {
    make_torch_state(in);
    make_return_types(in);
    const ClassObject* tensor = make_tensor_class(in);
    bind_parameter(in, tensor);
    bind_tensor_likes(in);
    in.make_tensor = [&in](ValueId value, const TensorObject& like) { return merged_tensor(in, value, like); };
    in.at_end = [&in](const NamespaceObject* main) { dump_final_parameters(in, main); };
    in.add_module("torch", fill_torch);
    in.add_module("torch._nn", fill_primitives);
    for (const PreludeFile& f : prelude_files()) {
        std::string module = f.module;
        in.add_prelude(module, f.path, f.text, [module](Interpreter& i, const ModuleObject* m) {
            if (module == "random") bind_mersenne_twister(i, m);
            else if (module == "warnings") bind_warnings(i, m);
            else if (module == "argparse") bind_argparse(i, m);
            else refuse_known_names(i, m, module);
        });
    }
}

}  // namespace sifr::capture
