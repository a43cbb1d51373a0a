#pragma once

#include <functional>

#include "compiler/frontend/torch/emit.h"

/// What all factories share: their keywords, and what is done to the finished tensor.
namespace sifr::capture {

/// `dtype=, device=, requires_grad=, out=, generator=`; what has no effect here (`layout`, `pin_memory`, `memory_format`) is dropped.
struct FactoryOptions {
    PyValue dtype, device, requires_grad, out, generator;
};
/// Takes the options out of `args`.
FactoryOptions take_options(Interpreter& in, Args& args);
/// Not left out, and not None.
inline bool given(PyValue v) { return !v.is_unbound() && !v.is_none(); }
DType dtype_or(Interpreter& in, PyValue v, DType otherwise, const char* function);
/// Device, `requires_grad` and `out=` of a finished tensor.
PyValue finish(Interpreter& in, PyValue tensor, const FactoryOptions& o, const TensorObject* like = nullptr);
/// Refuses negative sizes in the words of the factory `name`.
void check_sizes(const char* name, const Sizes& sizes);
/// `…_like`: `make` gives a contiguous tensor of the sizes that it is asked for; a dense tensor's order of axes in memory is kept.
PyValue make_like(Interpreter& in, PyValue self, const std::function<PyValue(const Sizes&)>& make);

}  // namespace sifr::capture
