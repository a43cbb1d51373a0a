// torch.nn.Parameter: a Tensor that requires grad and says so when it is printed.

#include "compiler/frontend/torch/binding.h"
#include "compiler/frontend/torch/creation.h"
#include "compiler/frontend/torch/printing.h"
#include "compiler/frontend/torch/state.h"
#include "compiler/frontend/torch/storage_ops.h"
#include "compiler/frontend/torch/tensor_class.h"
#include "compiler/frontend/torch/tensor_likes.h"

namespace sifr::capture {

void bind_parameter(Interpreter& in, const ClassObject* tensor) {
    ClassObject* cls = in.add_class("Parameter", "torch.nn.parameter", tensor, nullptr);
    torch_classes(in).parameter = cls;
    cls->construct = [](Interpreter& i, Args& args) -> PyValue {
        // A subclass makes instances of its own.
        const ClassObject* made_class = args[0].as<ClassObject>();
        args.positional.erase(args.positional.begin());
        ArgReader a(i, args, "Parameter(data=None, requires_grad=True)");
        PyValue data = a.has("data") && !a["data"].is_none() ? a["data"] : emit_one(i, "empty"_op, {}, attrs({{"sizes", Sizes{0}}, {"dtype", default_dtype(i)}}));
        if (passes_for_tensor(i, data)) throw NotSupported("a Parameter of a complex or sparse tensor");
        if (!data.is(Kind::Tensor)) raise("TypeError", "Parameter() argument 'data' must be a Tensor, not {}", i.type_name(data));
        // It shares memory and counter with the data, and starts a history of its own.
        bool tracked = !a.has("requires_grad") || i.need_bool(a["requires_grad"], "requires_grad");
        PyValue made = detach(i, data);
        if (tracked) {
            if (DType t = type_of(i, data).dtype; !is_float(t) && !is_complex(t)) raise("RuntimeError", "Only Tensors of floating point and complex dtype can require gradients");
            set_requires_grad(i, made, true);
        }
        i.heap().change(tensor_of(made)).cls = made_class;
        return made;
    };
    // A deep copy of a leaf is a leaf of the same kind, with memory of its own.
    in.add_method(tensor, "__deepcopy__", [](Interpreter& i, Args& args) {
        PyValue self = args[0];
        const TensorObject* t = tensor_of(self);
        if (!i.autograd().is_leaf(t->variable))
            raise("RuntimeError", "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you were attempting to deepcopy a module, this may be because of a "
                  "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001");
        bool tracked = requires_grad(i, self);
        PyValue made = clone(i, detach(i, self));
        if (tracked) set_requires_grad(i, made, true);
        TensorObject& copy = i.heap().change(tensor_of(made));
        copy.cls = t->cls;
        if (t->grad.is(Kind::Tensor)) copy.grad = clone(i, detach(i, t->grad));
        return made;
    });
    for (const char* module : {"torch.nn.parameter"})
        in.add_module(module, [cls](Interpreter& i, const ModuleObject* m) { i.set_global(m, "Parameter", PyValue(cls)); });
}

}  // namespace sifr::capture
