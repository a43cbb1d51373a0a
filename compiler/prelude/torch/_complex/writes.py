"""Writes into complex tensors and of complex values into real ones; what autograd takes."""
import torch
from torch._complex import Tensor, _kind
from torch._complex.creation import _c_names, as_complex, to


def _write(target, source):
    source = as_complex(source, target.dtype)
    target._pairs.copy_((source.conj() if target._conjugated else source)._resolved())
    return target


def copy_(input, src, non_blocking=False):
    if isinstance(input, Tensor):
        return _write(input, src)
    return input.copy_(to(src, input.dtype))


def fill_(input, value):
    if isinstance(input, Tensor):
        if isinstance(value, torch.Tensor) and value.dim() > 0:
            raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.dim()} dimensions.")
        return _write(input, value)
    if input.dtype == torch.bool:
        return input.fill_(True)
    raise RuntimeError(f"value cannot be converted to type {_c_names[input.dtype]} without overflow")


def zero_(input):
    input._pairs.zero_()
    return input


def setitem(input, index, value):
    if isinstance(value, Tensor):
        input[index] = to(value, input.dtype)
    else:
        fill_(input[index] if input.dtype == torch.bool else input, value)


def masked_fill_(input, mask, value):
    return input.copy_(torch.masked_fill(input, mask, value))


def index_put_(input, indices, values, accumulate=False):
    if accumulate:
        raise NotImplementedError("not supported: index_put_ with accumulate for complex tensors")
    input[tuple(indices)] = values
    return input


def grad(outputs, inputs, grad_outputs=None, **kwargs):
    def pairs(value):
        return value._resolved() if isinstance(value, Tensor) else value
    def listed(value):
        return list(value) if isinstance(value, (list, tuple)) else [value]
    wanted = listed(inputs)
    for output in listed(outputs):
        if isinstance(output, Tensor) and grad_outputs is None:
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {output.dtype}")
    weights = None if grad_outputs is None else [pairs(g) for g in listed(grad_outputs)]
    found = torch.autograd.grad([pairs(o) for o in listed(outputs)], [i._pairs if isinstance(i, Tensor) else i for i in wanted], weights, **kwargs)
    return tuple(Tensor(g) if isinstance(i, Tensor) and g is not None else g for g, i in zip(found, wanted))


def detach_(input):
    input._pairs.detach_()
    return input


writes = {"copy_": copy_, "fill_": fill_, "zero_": zero_, "__setitem__": setitem, "masked_fill_": masked_fill_, "index_put_": index_put_, "grad": grad,
          "detach_": detach_}
