#pragma once

#include "compiler/frontend/torch/emit.h"

/// The parts of the torch module; each adds its functions.
namespace sifr::capture {

/// PyTorch's dispatch of `a @ b` by the ranks.
PyValue matmul(Interpreter& in, PyValue a, PyValue b);

void bind_random(Interpreter& in, const ModuleObject* torch);
void bind_contractions(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor);
void bind_counts(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor);
void bind_shapes(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor);
void bind_comparisons(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor);
/// torch.dtype, torch.device, torch.Size, finfo and iinfo, torch.FloatTensor and its like, layouts and memory formats.
void bind_types(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor);
/// torch.cuda.FloatTensor and its like.
void bind_cuda_classes(Interpreter& in, const ModuleObject* cuda);
/// torch.nn.Parameter.
void bind_parameter(Interpreter& in, const ClassObject* tensor);
/// torch.cuda, torch.backends, torch.version and what else asks about the machine.
void bind_machine(Interpreter& in, const ModuleObject* torch);

}  // namespace sifr::capture
