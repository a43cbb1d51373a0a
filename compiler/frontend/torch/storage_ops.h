#pragma once

#include "compiler/frontend/torch/emit.h"

/// Changes of a tensor object that are not writes of elements: its view, its storage, its history.
namespace sifr::capture {

/// `x.t_()`, `x.squeeze_()`: the object becomes the view that row `op` gives of it; other views of the storage stay. `node` is the
/// printed name (`TBackward1`).
PyValue rebind_to_view(Interpreter& in, PyValue tensor, Op op, const Operands& operands, Attrs attributes, const char* node);
/// `x.resize_(sizes)`: keeps the first elements of the storage in storage order; a larger size gets new memory.
PyValue resize(Interpreter& in, PyValue tensor, const Sizes& sizes);
/// Makes `out` fit, as `out=` does: nothing where the sizes agree, a warning where a non-empty tensor is resized.
void resize_for_out(Interpreter& in, PyValue out, const Sizes& sizes);
/// `x.data = y`, `x.set_(y)`: the object takes y's place in memory.
void take_place_of(Interpreter& in, PyValue tensor, PyValue source);
PyValue detach(Interpreter& in, PyValue tensor);
/// `.data`: shares memory, has a counter of its own, and no history.
PyValue data_of(Interpreter& in, PyValue tensor);
/// `requires_grad_(on)`.
PyValue set_requires_grad(Interpreter& in, PyValue tensor, bool on);
/// `contiguous()`, `clone()`, `reshape(sizes)`: a view where the strides allow it, else a copy.
PyValue clone(Interpreter& in, PyValue tensor);
PyValue contiguous(Interpreter& in, PyValue tensor);
PyValue reshape(Interpreter& in, PyValue tensor, Sizes sizes);
/// Another shape of memory that nobody else holds (PyTorch's _unsafe_view): for autograd a tensor of its own, not a view.
PyValue unsafe_view(Interpreter& in, PyValue tensor, const Sizes& sizes);

}  // namespace sifr::capture
