#pragma once

#include "compiler/frontend/torch/emit.h"

namespace sifr::capture {

/// Makes `torch.Tensor`: operators, attributes and methods. Rows of the op table are methods by themselves; what stands in
/// tensor_methods.cpp is what no row says.
const ClassObject* make_tensor_class(Interpreter& in);
void bind_tensor_methods(Interpreter& in, const ClassObject* tensor);

/// A Python value as an operand: tensors as they are, numbers too; anything else is TypeError for `what`.
bool is_operand(PyValue v);

}  // namespace sifr::capture
