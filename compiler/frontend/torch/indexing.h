#pragma once

#include "compiler/frontend/torch/emit.h"

namespace sifr::capture {

/// `x[index]`: ints, slices, None and Ellipsis give views; masks and index tensors (lists of ints too) gather.
PyValue index_get(Interpreter& in, PyValue tensor, PyValue index);
/// `x[index] = value`.
void index_set(Interpreter& in, PyValue tensor, PyValue index, PyValue value);

}  // namespace sifr::capture
