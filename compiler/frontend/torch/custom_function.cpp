#include "compiler/frontend/torch/custom_function.h"

#include <algorithm>

#include "compiler/frontend/torch/modes.h"
#include "compiler/frontend/torch/state.h"
#include "compiler/frontend/torch/storage_ops.h"
#include "compiler/frontend/torch/run_time_sizes.h"

namespace sifr::capture {
namespace {

const Symbol saved_symbol = symbol("_saved"), versions_symbol = symbol("_saved_versions"), node_symbol = symbol("_node"), needs_symbol = symbol("needs_input_grad"),
             freed_symbol = symbol("_freed"), materialize_symbol = symbol("_materialize"), constant_symbol = symbol("_non_differentiable"), dirty_symbol = symbol("_dirty");

PyValue attribute(PyValue ctx, Symbol name) { return ctx.as<InstanceObject>()->attributes.get(name); }
void set_attribute(Interpreter& in, PyValue ctx, Symbol name, PyValue v) { in.heap().change(ctx.as<InstanceObject>()).attributes.set(name, v); }

Values items(PyValue v) { return v.is(Kind::Tuple) ? v.as<TupleObject>()->items : v.is_unbound() ? Values{} : Values{v}; }

bool contains(const Values& list, PyValue v) {
    return std::any_of(list.begin(), list.end(), [&](PyValue o) { return o.is_object() && v.is_object() && o.object() == v.object(); });
}

PyValue save_for_backward(Interpreter& in, Args& args) {
    Values saved(args.positional.begin() + 1, args.positional.end()), versions;
    for (PyValue v : saved) {
        if (!v.is(Kind::Tensor) && !v.is_none()) raise("TypeError", "save_for_backward can only save variables, but argument {} is of type {}", versions.size(), in.type_name(v));
        versions.push_back(PyValue::integer(v.is(Kind::Tensor) ? in.autograd().version(tensor_of(v)->variable) : 0));
    }
    set_attribute(in, args[0], saved_symbol, in.tuple(std::move(saved)));
    set_attribute(in, args[0], versions_symbol, in.tuple(std::move(versions)));
    return PyValue::none();
}

/// Unpacking is where a saved value is checked.
PyValue saved_tensors(Interpreter& in, Args& args) {
    PyValue ctx = args[0];
    PyValue saved = attribute(ctx, saved_symbol);
    if (saved.is_unbound()) return in.tuple({});
    if (PyValue freed = attribute(ctx, freed_symbol); freed.is(Kind::Bool) && freed.as_bool())
        raise("RuntimeError", "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call "
              ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after calling backward.");
    Values tensors = items(saved), versions = items(attribute(ctx, versions_symbol));
    AutogradState& autograd = in.autograd();
    PyValue node = attribute(ctx, node_symbol);
    for (size_t k = 0; k < tensors.size(); ++k) {
        if (!tensors[k].is(Kind::Tensor)) continue;
        VariableId v = tensor_of(tensors[k])->variable;
        if (autograd.version(v) == versions[k].as_int() || !node.is(Kind::Int)) continue;
        NodeId at(static_cast<size_t>(node.as_int()));
        AutogradState::Saved entry{v, autograd.variable(v).counter, versions[k].as_int(), false, without_backward(autograd.node(at).name)};
        AutogradState::Hazard hazard = autograd.version_hazard(in.span(), at, entry);
        Raised r;
        r.exception = in.make_exception(hazard.error.type, hazard.error.text);
        r.span = in.span();
        r.diagnostic = hazard.diagnostic;
        throw r;
    }
    return saved;
}

NativeCode keep_as(Symbol name) {
    return [name](Interpreter& in, Args& args) {
        set_attribute(in, args[0], name, in.tuple(Values(args.positional.begin() + 1, args.positional.end())));
        return PyValue::none();
    };
}

/// A tensor with the input's contents and history of now, which no write reaches: a name of the compiler's own, no operation of the script.
PyValue as_it_is(Interpreter& in, PyValue input) {
    Function& f = in.function();
    const TensorObject* t = tensor_of(input);
    const Type type = f.type(t->value);
    InstId made = in.builder().emit_typed("clone"_op, {t->value}, {}, {type});
    ValueId value = f[made].results[0];
    f[value].view = {f.add_storage({"", type.dtype, type.sizes, false}), Layout::contiguous(type.sizes), {}};
    PyValue same = make_tensor_object(in, value, t->variable, t);
    own_variable(in, t->variable, t);  // `.grad` and hooks stay with the script's own tensor
    return same;
}

/// PyTorch's refusals of what `mark_dirty` says.
void check_dirty(Interpreter& in, const Values& dirty, const Values& inputs, const Values& outputs) {
    AutogradState& autograd = in.autograd();
    for (PyValue v : dirty) {
        if (!v.is(Kind::Tensor)) raise("TypeError", "mark_dirty can only accept variables, but argument 0 is of type {}", in.type_name(v));
        const VariableId variable = tensor_of(v)->variable;
        if (autograd.grad_enabled() && autograd.requires_grad(variable) && autograd.is_leaf(variable))
            raise("RuntimeError", "a leaf Variable that requires grad has been used in an in-place operation.");
        if (!contains(outputs, v))
            raise("RuntimeError",
                  "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
                  "inplace must all be outputs of the Function.");
        if (!contains(inputs, v)) throw NotSupported("ctx.mark_dirty of a tensor that is no input");
        if (autograd.is_view(variable) || autograd.has_views(variable))
            throw NotSupported("ctx.mark_dirty of a view, or of a tensor with views", "give the Function a clone");
    }
}

PyValue apply(Interpreter& in, Args& args) {
    const ClassObject* function = args[0].as<ClassObject>();
    Values inputs(args.positional.begin() + 1, args.positional.end());
    AutogradState& autograd = in.autograd();
    auto* made = in.heap().make<InstanceObject>(torch_classes(in).function_context);
    PyValue ctx(made);
    Values needs;
    std::vector<VariableId> operands;
    for (PyValue v : inputs) {
        bool tracked = v.is(Kind::Tensor) && requires_grad(in, v);
        needs.push_back(PyValue::boolean(tracked));
        if (v.is(Kind::Tensor)) operands.push_back(tensor_of(v)->variable);
    }
    bool tracks = autograd.grad_enabled() && std::any_of(needs.begin(), needs.end(), [](PyValue n) { return n.as_bool(); });
    set_attribute(in, ctx, needs_symbol, in.tuple(needs));
    PyValue output;
    {
        GradMode off(in, false);
        PyValue forward = in.get_attr(args[0], "forward");
        if (PyValue setup = function->lookup(symbol("setup_context")); !setup.is_unbound()) {
            output = in.call(forward, Args{inputs, args.keywords});
            in.call(in.get_attr(args[0], "setup_context"), Values{ctx, in.tuple(inputs), output});
        } else {
            Values all{ctx};
            all.insert(all.end(), inputs.begin(), inputs.end());
            output = in.call(forward, Args{all, args.keywords});
        }
    }
    const Values dirty = items(attribute(ctx, dirty_symbol));
    check_dirty(in, dirty, inputs, items(output));
    if (!tracks) {
        for (PyValue v : dirty) autograd.bump(tensor_of(v)->variable, in.span());
        return output;
    }
    Values entered;
    for (size_t k = 0; k < inputs.size(); ++k) entered.push_back(needs[k].as_bool() && !autograd.is_leaf(tensor_of(inputs[k])->variable) ? as_it_is(in, inputs[k]) : inputs[k]);
    bool single = !output.is(Kind::Tuple);
    Values outputs = items(output), constants = items(attribute(ctx, constant_symbol));
    std::vector<Type> types;
    for (PyValue v : outputs)
        if (v.is(Kind::Tensor)) types.push_back(type_of(in, v));
    std::vector<VariableId> variables = autograd.record_node(function->name + "Backward", operands, {}, types, in.span());
    NodeId node;
    size_t next = 0;
    std::vector<bool> constant;
    for (PyValue& v : outputs) {
        constant.push_back(contains(constants, v));
        if (!v.is(Kind::Tensor)) continue;
        VariableId variable = variables[next++];
        if (constant.back() || !autograd.grad_fn(variable).valid()) continue;
        node = autograd.grad_fn(variable);
        // The values are forward's, the history is the node's: gradients end here, and backward's own code takes them on.
        const TensorObject* t = tensor_of(v);
        const Type type = in.function().type(t->value);
        View view = in.function()[t->value].view;
        InstId leaf = in.builder().emit_typed("leaf"_op, {t->value}, {}, {type});
        ValueId value = in.function()[leaf].results[0];
        in.function()[value].view = std::move(view);
        if (contains(dirty, v)) {
            // The tensor itself goes on as the node's output.
            autograd.take_history(t->variable, variable, in.span());
            in.heap().change(t).value = value;
        } else {
            v = make_tensor_object(in, value, variable, t);
        }
    }
    if (node.valid()) {
        set_attribute(in, ctx, node_symbol, PyValue::integer(node.index));
        torch_classes(in).custom[node.index] =
            std::make_shared<CustomNode>(CustomNode{outputs, inputs, std::move(entered), std::move(constant), ctx, function});
    }
    return single ? outputs.at(0) : in.tuple(std::move(outputs));
}

}  // namespace

const CustomNode* custom_node(Interpreter& in, NodeId node) {
    auto at = torch_classes(in).custom.find(node.index);
    if (at == torch_classes(in).custom.end()) return nullptr;
    // A trial that was undone may have left its entry under a number that is another node's now.
    const CustomNode& custom = *at->second;
    if (in.autograd().node(node).name != custom.function->name + "Backward") return nullptr;
    return &custom;
}

Values call_custom_backward(Interpreter& in, NodeId node, const CustomNode& custom, const Values& gradients, bool retain_graph) {
    Values all{custom.context};
    PyValue materialize = attribute(custom.context, materialize_symbol);
    bool zeros = !materialize.is(Kind::Bool) || materialize.as_bool();
    for (size_t k = 0; k < custom.outputs.size(); ++k) {
        PyValue g = k < gradients.size() ? gradients[k] : PyValue();
        if (g.is_unbound()) g = zeros && custom.outputs[k].is(Kind::Tensor) ? with_sizes(in, full_tensor(in, type_of(in, custom.outputs[k]).dtype, type_of(in, custom.outputs[k]).sizes, PyValue::integer(0)), shape_of(in, custom.outputs[k])) : PyValue::none();
        all.push_back(g);
    }
    PyValue got = in.call(in.get_attr(PyValue(custom.function), "backward"), all);
    if (!retain_graph) set_attribute(in, custom.context, freed_symbol, PyValue::boolean(true));
    Values grads = got.is(Kind::Tuple) ? items(got) : Values{got};
    while (grads.size() > custom.inputs.size() && grads.back().is_none()) grads.pop_back();
    if (grads.size() != custom.inputs.size())
        raise("RuntimeError", "function {} returned an incorrect number of gradients (expected {}, got {})", in.autograd().node(node).name, custom.inputs.size(), grads.size());
    for (size_t k = 0; k < grads.size(); ++k) {
        PyValue input = custom.inputs[k];
        bool tracked = input.is(Kind::Tensor) && requires_grad(in, input);
        if (grads[k].is_none()) continue;
        if (!grads[k].is(Kind::Tensor)) raise("RuntimeError", "function {} returned a gradient different than None at position {}, but the corresponding forward input was not a Variable", in.autograd().node(node).name, k + 1);
        if (!input.is(Kind::Tensor)) raise("RuntimeError", "function {} returned a gradient different than None at position {}, but the corresponding forward input was not a Variable", in.autograd().node(node).name, k + 1);
        if (!tracked) continue;
        const Type &want = type_of(in, input), &have = type_of(in, grads[k]);
        if (want.sizes != have.sizes) {
            Sizes both;
            try {
                both = broadcast(want.sizes, have.sizes);
            } catch (const ScriptError&) {
            }
            if (both != have.sizes || have.sizes.size() < want.sizes.size())
                raise("RuntimeError", "Function {} returned an invalid gradient at index {} - got [{}] but expected shape compatible with [{}]", in.autograd().node(node).name, k, fmt::join(have.sizes, ", "), fmt::join(want.sizes, ", "));
            grads[k] = emit_one(in, row_named("sum_to_size"), {grads[k]}, attrs({{"size", want.sizes}}));
        }
        if (have.dtype != want.dtype) grads[k] = emit_one(in, "cast"_op, {grads[k]}, attrs({{"dtype", want.dtype}}));
    }
    return grads;
}

void bind_custom_function(Interpreter& in, const ModuleObject* autograd) {
    ClassObject* context = in.add_class("FunctionCtx", "torch.autograd.function", nullptr, nullptr);
    torch_classes(in).function_context = context;
    in.add_method(context, "save_for_backward", save_for_backward);
    in.add_property(context, "saved_tensors", saved_tensors);
    in.add_method(context, "mark_non_differentiable", keep_as(constant_symbol));
    in.add_method(context, "mark_dirty", keep_as(dirty_symbol));
    in.add_method(context, "set_materialize_grads", [](Interpreter& i, Args& a) {
        set_attribute(i, a[0], materialize_symbol, PyValue::boolean(i.need_bool(a[1], "value")));
        return PyValue::none();
    });
    ClassObject* function = in.add_class("Function", "torch.autograd.function", nullptr, nullptr);
    auto* bound = in.heap().make<DescriptorObject>(DescriptorObject::What::ClassMethod, in.native("apply", apply));
    in.heap().change(function).attributes.set(symbol("apply"), PyValue(bound));
    in.set_global(autograd, "Function", PyValue(function));
    in.add_module("torch.autograd.function", [context, function](Interpreter& i, const ModuleObject* m) {
        i.set_global(m, "Function", PyValue(function));
        i.set_global(m, "FunctionCtx", PyValue(context));
        // The gradients are values: nothing leads back through them.
        i.add_function(m, "once_differentiable", [](Interpreter& n, Args& a) {
            PyValue backward = a[0];
            return n.native("wrapper", [backward](Interpreter& r, Args& call) {
                const bool through =
                    r.autograd().grad_enabled() && std::any_of(call.positional.begin() + 1, call.positional.end(),
                                                               [&](PyValue v) { return v.is(Kind::Tensor) && requires_grad(r, v); });
                if (through) throw NotSupported("a second gradient through a once_differentiable backward");
                GradMode off(r, false);
                return r.call(backward, call);
            });
        });
    });
}

}  // namespace sifr::capture
