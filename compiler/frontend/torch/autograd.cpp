#include "compiler/frontend/torch/autograd.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/torch/creation.h"
#include "compiler/frontend/torch/custom_function.h"
#include "compiler/frontend/torch/gradient_flow.h"
#include "compiler/frontend/torch/hooks.h"
#include "compiler/frontend/torch/messages.h"
#include "compiler/frontend/torch/modes.h"
#include "compiler/frontend/torch/rows.h"
#include "compiler/frontend/torch/state.h"
#include "compiler/frontend/torch/storage_ops.h"
#include "compiler/frontend/torch/run_time_sizes.h"

namespace sifr::capture {
namespace {

std::string size_text(const Sizes& sizes) { return fmt::format("torch.Size([{}])", fmt::join(sizes, ", ")); }

/// The given gradients, checked against their losses and cast; None stands for ones, for one-element losses only.
Values checked_gradients(Interpreter& in, const Values& losses, const Values& gradients) {
    Values out;
    if (!gradients.empty() && gradients.size() != losses.size()) raise("RuntimeError", "got {} tensors and {} gradients", losses.size(), gradients.size());
    for (size_t k = 0; k < losses.size(); ++k) {
        const Type type = type_of(in, losses[k]);
        PyValue g = gradients.empty() ? PyValue::none() : gradients[k];
        if (g.is(Kind::Tensor)) {
            const Type given = type_of(in, g);
            if (!given.run_time_sizes.empty() || !type.run_time_sizes.empty()) {
                check_written_sizes(in, g, losses[k]);
            } else if (given.sizes != type.sizes) {
                raise("RuntimeError", "Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] has a shape of {}.", k, size_text(given.sizes), k, size_text(type.sizes));
            }
            if (is_complex(given.dtype) != is_complex(type.dtype))
                raise("RuntimeError", "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: grad_output[{}] has a dtype of {} and output[{}] has a dtype of {}.", k,
                      torch_name(given.dtype), k, torch_name(type.dtype));
            if (given.dtype != type.dtype) g = emit_one(in, "cast"_op, {g}, attrs({{"dtype", type.dtype}}));
        } else if (g.is_none()) {
            if (requires_grad(in, losses[k])) {
                if (element_count(static_sizes(in, losses[k], "backward()")) != 1) raise("RuntimeError", "grad can be implicitly created only for scalar outputs");
                if (!is_float(type.dtype)) raise("RuntimeError", "grad can be implicitly created only for real scalar outputs but got {}", torch_name(type.dtype));
            }
        } else {
            raise("TypeError", "gradients can be either Tensors or None, but got {}", in.type_name(g));
        }
        out.push_back(g);
    }
    return out;
}

bool encloses(const Function& f, RegionId outer, RegionId inner) {
    while (inner != outer && f[inner].parent.valid()) inner = f[f[inner].parent].parent;
    return inner == outer;
}

AutogradState::Request request_of(Interpreter& in, const BackwardCall& call) {
    AutogradState::Request r;
    for (PyValue l : call.losses) r.roots.push_back(tensor_of(l)->variable);
    for (PyValue i : call.inputs) r.inputs.push_back(tensor_of(i)->variable);
    r.retain_graph = call.retain_graph;
    r.create_graph = call.create_graph;
    r.keep_saved = in.options().hazards == HazardMode::Repair;
    r.span = in.span();
    return r;
}

PyValue owner_of(Interpreter& in, VariableId v) {
    const VariableOwners& owners = variable_owners(in);
    SIFR_CHECK(v.index < owners.size() && owners[v.index], "no tensor object for a variable that a gradient reaches");
    return PyValue(owners[v.index]);
}

/// Adds `d` into an empty or full `.grad`.
void accumulate(Interpreter& in, PyValue leaf, PyValue d, bool create_graph) {
    const TensorObject* t = tensor_of(leaf);
    PyValue grad = in.evaluator().usable_slot(t->grad, leaf, symbol("grad"));
    if (const auto* maybe = grad.get_if<OptionalObject>()) {
        // Empty on some paths only: which one shows when the program runs.
        PyValue inner = maybe->value;
        in.fork_if(
            maybe->present,
            [&] {
                in.heap().change(t).grad = inner;
                accumulate(in, leaf, d, create_graph);
                return PyValue::none();
            },
            [&] {
                in.heap().change(t).grad = clone(in, d);
                return PyValue::none();
            });
        return;
    }
    if (!grad.is(Kind::Tensor)) {
        // PyTorch keeps a copy of a gradient that has a history.
        if (create_graph && requires_grad(in, d)) in.autograd().rename_history(tensor_of(d)->variable, "CopyBackwards");
        in.heap().change(t).grad = d;
    } else if (create_graph) {
        in.heap().change(t).grad = emit_one(in, "add"_op, {grad, d});
    } else {
        emit_write(in, grad, "add"_op, {grad, d});
    }
}

/// Rows whose gradients read what PyTorch's read, by the same formula. Others keep results of their own there (statistics, places of
/// maxima), from before the write.
bool reads_as_pytorch(const OpDef& row) {
    if (row.lower == Lower::Pointwise || row.lower == Lower::Contraction) return true;
    static constexpr std::string_view composites[] = {"mv",
                                                      "dot",
                                                      "outer",
                                                      "addmm",
                                                      "addmv",
                                                      "addr",
                                                      "baddbmm",
                                                      "mse_loss",
                                                      "l1_loss",
                                                      "softmax",
                                                      "log_softmax",
                                                      "norm",
                                                      "linalg_vector_norm",
                                                      "std",
                                                      "var"};
    std::string_view name = row.name;
    name = name.substr(0, name.find('.'));
    return std::find(std::begin(composites), std::end(composites), name) != std::end(composites);
}

/// What was written past its version counter is read as it is now: PyTorch's gradient is of other values than the forward's.
void emit_readings(Interpreter& in, const AutogradState::Outcome& outcome, bool create_graph) {
    Function& f = in.function();
    std::set<std::pair<NodeId, VariableId>> warned;
    for (const AutogradState::Outcome::Overwritten& o : outcome.overwritten) {
        const AutogradState::Node node = in.autograd().node(o.node);
        auto at = torch_classes(in).made_by.find(o.node.index);
        const Inst* made = at == torch_classes(in).made_by.end() ? nullptr : f.producer(at->second);
        const bool here = made && !made->results.empty() && encloses(f, made->parent, in.builder().region());
        if (!here || create_graph || !reads_as_pytorch(def(made->op)))
            throw NotSupported(
                fmt::format("a gradient with what line {} wrote, past the version counter, over a value that line {} saved for it",
                            o.write.line, node.span.line),
                "write behind the backward, or into a copy");
        const ValueId saved = o.saved.slot >= 0 ? made->operands.at(static_cast<size_t>(o.saved.slot))
                                                : made->results.at(static_cast<size_t>(-1 - o.saved.slot));
        in.builder().emit_typed("reading"_op, {at->second, saved}, attrs({{"slot", static_cast<int64_t>(o.saved.slot)}}), {});
        if (!warned.insert({o.node, o.saved.variable}).second) continue;  // `h * h` saves one tensor twice
        Diagnostic d = diagnose(torch_messages::stale_gradient, in.span());
        d.labels.push_back({in.span(), "reads it as it is now"});
        d.labels.push_back({node.span, fmt::format("saved here by '{}'", o.saved.op)});
        d.labels.push_back({o.write, "overwritten here, past the version counter"});
        d.help = "write into a copy, or behind the backward";
        in.warn(std::move(d));
    }
}

[[noreturn]] void raise_hazard(Interpreter& in, const AutogradState::Hazard& hazard) {
    Raised r;
    r.exception = in.make_exception(hazard.error.type, hazard.error.text);
    r.span = in.span();
    r.diagnostic = hazard.diagnostic;
    throw r;
}

Values tensors_of(Interpreter& in, PyValue v) {
    if (v.is_unbound() || v.is_none()) return {};
    if (v.is(Kind::Tensor)) return {v};
    Values out = in.iterate(v);
    for (PyValue t : out)
        if (!t.is(Kind::Tensor)) raise("RuntimeError", "all inputs have to be Tensors or GradientEdges, but got {}", in.type_name(t));
    return out;
}

Values gradients_of(Interpreter& in, PyValue v) {
    if (v.is_unbound() || v.is_none()) return {};
    if (v.is(Kind::Tensor)) return {v};
    return in.iterate(v);
}

bool flag(Interpreter& in, PyValue v, bool otherwise) { return v.is_unbound() || v.is_none() ? otherwise : in.need_bool(v, "a flag of backward"); }

BackwardCall read_backward(Interpreter& in, Values losses, PyValue gradient, PyValue retain, PyValue create, PyValue inputs) {
    BackwardCall call;
    call.losses = std::move(losses);
    call.create_graph = flag(in, create, false);
    call.retain_graph = flag(in, retain, call.create_graph);
    if (!inputs.is_unbound() && !inputs.is_none()) {
        call.inputs = tensors_of(in, inputs);
        if (call.inputs.empty()) raise("RuntimeError", "`inputs` argument to `backward()` cannot be empty.");
    }
    call.gradients = gradients_of(in, gradient);
    return call;
}

PyValue tensor_backward(Interpreter& in, Args& args) {
    ArgReader a(in, args, "backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None)");
    run_backward(in, read_backward(in, {a["self"]}, a["gradient"], a["retain_graph"], a["create_graph"], a["inputs"]));
    return PyValue::none();
}

PyValue module_backward(Interpreter& in, Args& args) {
    ArgReader a(in, args, "backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None)");
    Values losses = tensors_of(in, a["tensors"]);
    run_backward(in, read_backward(in, std::move(losses), a["grad_tensors"], a["retain_graph"], a["create_graph"], a["inputs"]));
    return PyValue::none();
}

PyValue module_grad(Interpreter& in, Args& args) {
    ArgReader a(in, args, "grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None, is_grads_batched=False, materialize_grads=False)");
    BackwardCall call;
    call.losses = tensors_of(in, a["outputs"]);
    call.inputs = tensors_of(in, a["inputs"]);
    if (call.inputs.empty()) raise("RuntimeError", "`inputs` argument to `grad()` cannot be empty.");
    call.gradients = gradients_of(in, a["grad_outputs"]);
    call.create_graph = flag(in, a["create_graph"], false);
    call.retain_graph = flag(in, a["retain_graph"], call.create_graph);
    if (flag(in, a["is_grads_batched"], false)) throw NotSupported("torch.autograd.grad with is_grads_batched=True");
    bool materialize = flag(in, a["materialize_grads"], false);
    bool unused = flag(in, a["allow_unused"], materialize);
    if (materialize && !unused) raise("ValueError", "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.");
    return in.tuple(run_grad(in, call, unused, materialize));
}

}  // namespace

void run_backward(Interpreter& in, const BackwardCall& given) {
    BackwardCall call = given;
    call.gradients = checked_gradients(in, call.losses, call.gradients);
    if (call.create_graph)
        warn_once(in, "UserWarning",
                  "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to "
                  "avoid this. If you have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the cycle and avoid the leak. (Triggered internally at "
                  "/__w/pytorch/pytorch/torch/csrc/autograd/engine.cpp:1445.)");
    AutogradState::Outcome outcome = in.autograd().backward(request_of(in, call));
    emit_readings(in, outcome, call.create_graph);
    {
        GradMode mode(in, call.create_graph);
        Values targets;
        for (VariableId v : outcome.reached) targets.push_back(owner_of(in, v));
        Values gradients = targets.empty() && outcome.hazard ? Values{} : flow(in, call, targets, outcome.ran);
        for (size_t k = 0; k < gradients.size(); ++k) {
            PyValue g = gradients[k];
            if (g.is_unbound()) continue;
            // Summing in place is a write of its own.
            if (!call.create_graph)
                for (int i = 1; i < outcome.contributions[k]; ++i) in.autograd().bump(tensor_of(g)->variable, in.span());
            bool leaf = in.autograd().is_leaf(tensor_of(targets[k])->variable);
            if (leaf) g = apply_hooks(in, targets[k], g);
            accumulate(in, targets[k], g, call.create_graph);
            if (leaf) run_post_accumulate_hooks(in, targets[k]);
        }
    }
    for (Diagnostic& d : outcome.kept) in.warn(d);
    if (outcome.hazard) raise_hazard(in, *outcome.hazard);
}

Values run_grad(Interpreter& in, const BackwardCall& given, bool allow_unused, bool materialize) {
    BackwardCall call = given;
    call.gradients = checked_gradients(in, call.losses, call.gradients);
    AutogradState::Request request = request_of(in, call);
    request.only_inputs = true;
    request.allow_unused = allow_unused;
    AutogradState::Outcome outcome = in.autograd().backward(request);
    emit_readings(in, outcome, call.create_graph);
    for (Diagnostic& d : outcome.kept) in.warn(d);
    if (outcome.hazard) raise_hazard(in, *outcome.hazard);
    GradMode mode(in, call.create_graph);
    Values targets;
    for (size_t k = 0; k < call.inputs.size(); ++k)
        if (outcome.used[k]) targets.push_back(call.inputs[k]);
    Values gradients = targets.empty() ? Values{} : flow(in, call, targets, outcome.ran);
    Values out;
    for (size_t k = 0, next = 0; k < call.inputs.size(); ++k) {
        PyValue g = outcome.used[k] ? gradients[next++] : PyValue();
        if (g.is(Kind::Tensor) && in.autograd().is_leaf(tensor_of(call.inputs[k])->variable)) g = apply_hooks(in, call.inputs[k], g);
        if (g.is_unbound()) g = materialize ? with_sizes(in, full_tensor(in, type_of(in, call.inputs[k]).dtype, type_of(in, call.inputs[k]).sizes, PyValue::integer(0)), shape_of(in, call.inputs[k])) : PyValue::none();
        out.push_back(g);
    }
    return out;
}

PyValue get_grad(Interpreter& in, PyValue tensor) {
    const TensorObject* t = tensor_of(tensor);
    if (t->grad.is_none() && !in.autograd().is_leaf(t->variable) && !in.autograd().variable(t->variable).retains_grad)
        in.script_warning("UserWarning",
                          "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated during autograd.backward(). If you indeed want the .grad field to be "
                          "populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
                          "github.com/pytorch/pytorch/pull/30531 for more information. (Triggered internally at /__w/pytorch/pytorch/build/aten/src/ATen/core/TensorBody.h:488.)");
    return in.evaluator().usable_slot(t->grad, PyValue(t), symbol("grad"));
}

void set_grad(Interpreter& in, PyValue tensor, PyValue value) {
    const TensorObject* t = tensor_of(tensor);
    if (!value.is_none()) {
        if (!value.is(Kind::Tensor)) raise("TypeError", "assigned grad expected to be a Tensor or None but got grad of type {}", in.type_name(value));
        if (value.object() == tensor.object()) raise("RuntimeError", "can't assign Variable as its own grad");
        const Type &own = type_of(in, tensor), &given = type_of(in, value);
        if (own.dtype != given.dtype)
            raise("RuntimeError", "attempting to assign a gradient with dtype '{}' to a tensor with grad_dtype '{}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the "
                  "tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that assume "
                  "they match.",
                  c_name(given.dtype), scalar_name(own.dtype));
        if (own.sizes != given.sizes)
            raise("RuntimeError", "attempting to assign a gradient of size '[{}]' to a tensor of size '[{}]'. Please ensure that the gradient and the tensor are the same size", fmt::join(given.sizes, ", "),
                  fmt::join(own.sizes, ", "));
    }
    in.heap().change(t).grad = value;
}

PyValue base_of(Interpreter& in, PyValue tensor) {
    VariableId base = in.autograd().variable(tensor_of(tensor)->variable).base;
    return base.valid() ? owner_of(in, base) : PyValue::none();
}

void bind_autograd(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor) {
    in.add_method(tensor, "backward", tensor_backward);
    in.add_property(tensor, "grad", [](Interpreter& i, Args& a) { return get_grad(i, a[0]); }, [](Interpreter& i, Args& a) {
        set_grad(i, a[0], a[1]);
        return PyValue::none();
    });
    in.add_property(tensor, "grad_fn", [](Interpreter& i, Args& a) { return grad_fn_object(i, a[0]); });
    in.add_property(tensor, "requires_grad", [](Interpreter& i, Args& a) { return PyValue::boolean(requires_grad(i, a[0])); },
                    [](Interpreter& i, Args& a) {
                        bool on = i.need_bool(a[1], "requires_grad");
                        DType t = type_of(i, a[0]).dtype;
                        if (on && !is_float(t) && !is_complex(t)) raise("RuntimeError", "only Tensors of floating point and complex dtype can require gradients");
                        return set_requires_grad(i, a[0], on);
                    });
    in.add_method(tensor, "requires_grad_", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "requires_grad_(self, requires_grad=True)");
        return set_requires_grad(i, a["self"], !a.has("requires_grad") || i.need_bool(a["requires_grad"], "requires_grad"));
    });
    in.add_property(tensor, "is_leaf", [](Interpreter& i, Args& a) { return PyValue::boolean(i.autograd().is_leaf(tensor_of(a[0])->variable)); });
    in.add_property(tensor, "retains_grad", [](Interpreter& i, Args& a) {
        VariableId v = tensor_of(a[0])->variable;
        return PyValue::boolean(!i.autograd().is_leaf(v) && i.autograd().variable(v).retains_grad);
    });
    in.add_property(tensor, "output_nr", [](Interpreter& i, Args& a) { return PyValue::integer(i.autograd().variable(tensor_of(a[0])->variable).output); });
    in.add_method(tensor, "retain_grad", [](Interpreter& i, Args& a) {
        VariableId v = tensor_of(a[0])->variable;
        if (!i.autograd().requires_grad(v)) raise("RuntimeError", "can't retain_grad on Tensor that has requires_grad=False");
        if (!i.autograd().is_leaf(v)) i.autograd().set_retains_grad(v);
        return PyValue::none();
    });
    in.add_method(tensor, "detach", [](Interpreter& i, Args& a) { return detach(i, a[0]); });
    in.add_method(tensor, "detach_", [](Interpreter& i, Args& a) {
        const TensorObject* t = tensor_of(a[0]);
        bool had = requires_grad(i, a[0]);
        i.autograd().detach_in_place(t->variable, i.span());
        if (had) i.heap().change(t).value = tensor_of(detach(i, a[0]))->value;
        return a[0];
    });
    in.add_property(tensor, "data", [](Interpreter& i, Args& a) { return data_of(i, a[0]); }, [](Interpreter& i, Args& a) {
        if (!a[1].is(Kind::Tensor)) raise("TypeError", "Variable data has to be a tensor, but got {}", i.type_name(a[1]));
        DType t = type_of(i, a[1]).dtype;
        if (requires_grad(i, a[0]) && !is_float(t) && !is_complex(t)) raise("RuntimeError", "data set to a tensor that requires gradients must be floating point or complex dtype");
        take_place_of(i, a[0], a[1]);
        return PyValue::none();
    });
    in.add_property(tensor, "_version", [](Interpreter& i, Args& a) {
        VariableId v = tensor_of(a[0])->variable;
        if (i.autograd().variable(v).inference) raise("RuntimeError", "Inference tensors do not track version counter.");
        return PyValue::integer(i.autograd().told_version(v));
    });
    in.add_property(tensor, "_base", [](Interpreter& i, Args& a) { return base_of(i, a[0]); });
    in.add_method(tensor, "_is_view", [](Interpreter& i, Args& a) { return PyValue::boolean(i.autograd().is_view(tensor_of(a[0])->variable)); });
    in.add_method(tensor, "is_inference", [](Interpreter& i, Args& a) { return PyValue::boolean(i.autograd().variable(tensor_of(a[0])->variable).inference); });
    bind_hooks(in, tensor);

    in.add_module("torch.autograd", [torch](Interpreter& i, const ModuleObject* m) {
        i.heap().change(m->variables).overridable = true;
        i.add_function(m, "backward", module_backward);
        i.add_function(m, "grad", module_grad);
        i.add_function(m, "Variable", [](Interpreter& n, Args& args) {
            ArgReader a(n, args, "Variable(data, requires_grad=False, volatile=False)");
            PyValue made = detach(n, a["data"]);
            if (a.has("requires_grad") && n.need_bool(a["requires_grad"], "requires_grad")) set_requires_grad(n, made, true);
            return made;
        });
        for (const char* name : {"no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "is_grad_enabled"})
            i.set_global(m, name, i.get_attr(PyValue(torch), name));
        for (const char* name : {"gradcheck", "gradgradcheck"})
            i.add_function(m, name, [name](Interpreter& n, Args& args) {
                return n.call(n.get_attr(PyValue(n.import("torch.autograd.gradcheck")), name), args);
            });
        bind_anomaly(i, m);
        bind_custom_function(i, m);
    });
}

}  // namespace sifr::capture
