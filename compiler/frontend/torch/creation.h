#pragma once

#include "compiler/frontend/torch/emit.h"

namespace sifr::capture {

/// `torch.tensor(data)`: nested sequences of numbers, static or run-time, and of 0-d tensors. `dtype` none: inferred.
PyValue tensor_from(Interpreter& in, PyValue data, PyValue dtype = PyValue::none());
/// `x.fill_(number)`, `x[…] = number`, and with `zero` `x.zero_()`, which autograd knows apart: allowed on expanded tensors.
PyValue fill_with(Interpreter& in, PyValue tensor, PyValue number, bool zero = false);
/// Raises PyTorch's error where a number that is known does not fit into `dtype`.
void check_number_fits(DType dtype, PyValue number);
/// `x.copy_(y)`: broadcasts and converts.
PyValue copy_into(Interpreter& in, PyValue tensor, PyValue source);

/// Adds the factories to the torch module and the `new_…` methods to Tensor.
void bind_creation(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor);

}  // namespace sifr::capture
