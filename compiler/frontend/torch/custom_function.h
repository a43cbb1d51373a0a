#pragma once

#include "compiler/frontend/torch/emit.h"

/// `torch.autograd.Function`: forward and backward written in the script.
namespace sifr::capture {

/// One call of `apply`, kept beside its node: what its backward needs.
struct CustomNode {
    Values outputs;              ///< as the script got them; gradients flow into the tensors among them
    Values inputs;               ///< the arguments of `apply`
    Values entered;              ///< by input: where its gradient goes on, as it was at the call, whatever is written to it later
    std::vector<bool> constant;  ///< by output: marked as non-differentiable
    PyValue context;             ///< ctx
    const ClassObject* function = nullptr;
};
/// Null for a node that is no custom Function's.
const CustomNode* custom_node(Interpreter& in, NodeId node);
/// One gradient per input of the call, None where there is none; `gradients` are those of the outputs, unbound where nothing flowed.
Values call_custom_backward(Interpreter& in, NodeId node, const CustomNode& custom, const Values& gradients, bool retain_graph);

void bind_custom_function(Interpreter& in, const ModuleObject* autograd);

}  // namespace sifr::capture
