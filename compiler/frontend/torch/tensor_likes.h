#pragma once

#include "compiler/frontend/capture/interpreter.h"

/// PyTorch's protocol for objects that stand for tensors: a call with an instance of a class that has `__torch_function__` among its arguments
/// goes there. Complex numbers and complex dtypes are such arguments, too: their class is the prelude's.
namespace sifr::capture {

/// What `__torch_function__` of the arguments gives for `function(args)`; unbound where no argument has one. Where all of them decline:
/// PyTorch's error, or NotImplemented for an operator (`is_operator`).
PyValue call_tensor_likes(Interpreter& in, PyValue function, const Args& args, bool is_operator = false);

/// An instance for which the class torch.Tensor answers isinstance.
bool passes_for_tensor(Interpreter& in, PyValue v);

void bind_tensor_likes(Interpreter& in);

}  // namespace sifr::capture
