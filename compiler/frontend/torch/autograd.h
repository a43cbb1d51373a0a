#pragma once

#include "compiler/frontend/torch/emit.h"

/// Gradients as scripts ask for them: `backward`, `torch.autograd.grad`, `.grad`, `grad_fn`, hooks.
namespace sifr::capture {

struct BackwardCall {
    Values losses;
    Values gradients;  ///< per loss a Tensor or None; empty: ones
    Values inputs;     ///< empty: all leaves
    bool retain_graph = false;
    bool create_graph = false;
};
/// `backward`: gradients of the leaves, added into their `.grad`. A hazard is raised behind the gradients of the leaves that the
/// engine has reached before it.
void run_backward(Interpreter& in, const BackwardCall& call);
/// `torch.autograd.grad`: one Tensor per input, None where nothing flows.
Values run_grad(Interpreter& in, const BackwardCall& call, bool allow_unused, bool materialize);

/// `.grad` read (with PyTorch's warning for what is no leaf) and assigned.
PyValue get_grad(Interpreter& in, PyValue tensor);
void set_grad(Interpreter& in, PyValue tensor, PyValue value);

/// The `grad_fn` object of a tensor, or None.
PyValue grad_fn_object(Interpreter& in, PyValue tensor);
/// An object for an edge of the graph; None for no edge.
PyValue node_object(Interpreter& in, AutogradState::Edge edge);
/// `view._base`, or None.
PyValue base_of(Interpreter& in, PyValue tensor);

/// Methods and attributes of Tensor, and the module torch.autograd.
void bind_autograd(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor);

}  // namespace sifr::capture
