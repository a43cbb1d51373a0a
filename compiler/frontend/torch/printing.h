#pragma once

#include "compiler/frontend/torch/emit.h"

namespace sifr::capture {

/// `repr(x)`: a run-time string, with `grad_fn=` or `requires_grad=True` as the autograd state says now.
PyValue tensor_repr(Interpreter& in, PyValue tensor);
/// The same of a complex tensor, whose parts lie side by side along the last axis of `parts`.
PyValue complex_tensor_repr(Interpreter& in, PyValue parts, const std::string& suffix);
/// `repr(x)` without a dtype.
PyValue plain_tensor_repr(Interpreter& in, PyValue tensor);
/// `repr(x.tolist())`.
PyValue tensor_tolist_repr(Interpreter& in, PyValue tensor);
/// `torch.set_printoptions` and `torch.get_printoptions`.
void bind_printing(Interpreter& in, const ModuleObject* torch);

}  // namespace sifr::capture
