#pragma once

#include "compiler/frontend/torch/emit.h"

namespace sifr::capture {

/// The tensor in another dtype; the same object where it has it already, unless `copy`.
PyValue convert(Interpreter& in, PyValue tensor, DType dtype, bool copy = false);
/// A dtype given as `torch.float32`, `'torch.FloatTensor'`, a tensor class, or Python's `float`, `int`, `bool`.
DType to_dtype(Interpreter& in, PyValue v, const char* function);

void bind_conversions(Interpreter& in, const ClassObject* tensor);

}  // namespace sifr::capture
