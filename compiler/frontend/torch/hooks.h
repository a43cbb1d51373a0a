#pragma once

#include "compiler/frontend/torch/emit.h"

/// Hooks on tensors, and the nodes of custom Functions: places at which the gradient is handed to the script while it flows.
namespace sifr::capture {

enum class HookKind : uint8_t {
    Gradient,         ///< register_hook: sees the gradient before it goes on, and may replace it
    PostAccumulate,   ///< register_post_accumulate_grad_hook: sees the leaf after `.grad` was updated
};

/// What `register_hook` gives; `remove()` takes the hook out.
struct HookHandle : NativeObjectOf<HookHandle> {
    using NativeObjectOf::NativeObjectOf;
    PyValue tensor, function;
    HookKind what = HookKind::Gradient;
    NodeId node;  ///< the history that the tensor had then; the hook belongs to it
    bool removed = false;
};

PyValue register_hook(Interpreter& in, PyValue tensor, PyValue function, HookKind what);
/// The gradient as the tensor's hooks leave it, in the order of registration.
PyValue apply_hooks(Interpreter& in, PyValue tensor, PyValue gradient);
void run_post_accumulate_hooks(Interpreter& in, PyValue tensor);
[[nodiscard]] bool has_hooks(PyValue tensor);

void bind_hooks(Interpreter& in, const ClassObject* tensor);

}  // namespace sifr::capture
