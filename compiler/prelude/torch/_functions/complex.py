"""Complex tensors from real ones."""
import torch

_names = {torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16", torch.int64: "Long", torch.int32: "Int",
          torch.int16: "Short", torch.int8: "Char", torch.uint8: "Byte", torch.bool: "Bool"}


def _check_parts(first, second):
    floats = (torch.float16, torch.float32, torch.float64)
    if first.dtype not in floats or second.dtype not in floats:
        raise NotImplementedError(f"Expected both inputs to be Half, Float or Double tensors but got {_names[first.dtype]} and {_names[second.dtype]}")
    if first.dtype != second.dtype:
        raise RuntimeError(f"Expected object of scalar type {_names[first.dtype]} but got scalar type {_names[second.dtype]} for second argument")
    if first.dtype == torch.float16:
        raise NotImplementedError("not supported: torch.complex32")


def complex(real, imag):
    _check_parts(real, imag)
    return torch._complex.functions.named("ComplexBackward0", torch._complex.elements.make(real, imag))


def polar(abs, angle):
    _check_parts(abs, angle)
    return torch._complex.functions.named("PolarBackward0", torch._complex.elements.make(abs * torch.cos(angle), abs * torch.sin(angle)))


def view_as_complex(input):
    if input.dtype not in (torch.float16, torch.float32, torch.float64):
        raise NotImplementedError(f"view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: {_names[input.dtype]}")
    if input.dim() == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.size(-1) != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if input.stride(-1) != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    for s in input.stride()[:-1]:
        if s % 2 != 0:
            raise RuntimeError(f"Tensor must have a stride divisible by 2 for all but last dimension")
    if input.storage_offset() % 2 != 0:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    if input.dtype == torch.float16:
        raise NotImplementedError("not supported: torch.complex32")
    return torch._complex.Tensor(input)


def view_as_real(input):
    raise TypeError("view_as_real is only supported for complex tensors")
