#pragma once

#include "compiler/frontend/torch/emit.h"

namespace sifr::capture {

/// Makes `torch.Tensor`: operators, attributes and methods. Rows of the op table are methods by themselves; what the
/// `bind_tensor_…` add is what no row says.
const ClassObject* make_tensor_class(Interpreter& in);
void bind_tensor_info(Interpreter& in, const ClassObject* tensor);
void bind_tensor_views(Interpreter& in, const ClassObject* tensor);
void bind_tensor_writes(Interpreter& in, const ClassObject* tensor);

/// `torch.FloatTensor`, as `x.type()` says it.
PyValue tensor_type_text(Interpreter& in, PyValue tensor);
/// A Tensor or a number of Python.
bool is_operand(PyValue v);

}  // namespace sifr::capture
