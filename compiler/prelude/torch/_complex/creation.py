"""New complex tensors, and real ones made of complex values."""
import math
import torch
from torch import _nn
from torch._complex import Tensor
from torch._complex.elements import make, parts


def part_dtype(dtype):
    return torch.float64 if dtype == torch.complex128 else torch.float32


def default_dtype():
    return torch.complex128 if torch.get_default_dtype() == torch.float64 else torch.complex64


def as_complex(value, dtype):
    """A tensor or number as a complex tensor of a dtype."""
    target = part_dtype(dtype)
    if isinstance(value, Tensor):
        return value if value._pairs.dtype == target else Tensor(value._pairs.to(target), value._conjugated)
    if isinstance(value, torch.Tensor):
        re = value.to(target)
        return Tensor(torch.stack([re, torch.zeros_like(re)], -1))
    re, im = parts(value)
    return Tensor(torch.tensor([re, im], dtype=target))


def _leaves(data):
    """Nested data as nested pairs, and whether a leaf is of double precision."""
    if isinstance(data, (list, tuple)):
        found = [_leaves(d) for d in data]
        return [f[0] for f in found], any([f[1] for f in found])
    if isinstance(data, torch.Tensor):
        wide = data.dtype in (torch.complex128, torch.float64)
        data = data.item()
    else:
        wide = torch.get_default_dtype() == torch.float64
    re, im = parts(data)
    return [float(re), float(im)], wide


def _first_number(data):
    while isinstance(data, (list, tuple)):
        for d in data:
            if isinstance(d, (list, tuple, complex)):
                data = d
                break
        else:
            return 0.0
    return data


def _truths(data):
    return [_truths(d) for d in data] if isinstance(data, (list, tuple)) else data != 0


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    if dtype is not None and not dtype.is_complex:
        if isinstance(data, Tensor):
            return data.detach().to(dtype).clone().requires_grad_(requires_grad)
        if dtype == torch.bool:
            return torch.tensor(_truths(data))
        raise TypeError("must be real number, not complex" if dtype.is_floating_point else "'complex' object cannot be interpreted as an integer")
    if isinstance(data, torch.Tensor):
        import warnings
        warnings.warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).")
        return as_complex(data.detach(), data.dtype if dtype is None else dtype).clone().requires_grad_(requires_grad)
    nested, wide = _leaves(data)
    if dtype is None:
        dtype = torch.complex128 if wide else torch.complex64
    pairs = torch.tensor(nested, dtype=part_dtype(dtype), device=device)
    if pairs.numel() == 0:
        pairs = pairs.reshape(list(pairs.shape) + [2])
    return Tensor(pairs).requires_grad_(requires_grad)


def as_tensor(data, dtype=None, device=None):
    if isinstance(data, torch.Tensor):
        return data if dtype is None or data.dtype == dtype else data.to(dtype)
    return tensor(data, dtype=dtype, device=device)


def full(size, fill_value, *, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False):
    if dtype is None:
        dtype = default_dtype()
    if not dtype.is_complex:
        if dtype == torch.bool:
            return torch.full(size, fill_value != 0, dtype=dtype)
        raise RuntimeError(f"value cannot be converted to type {_c_names[dtype]} without overflow")
    return Tensor(as_complex(fill_value, dtype)._pairs.expand(list(size) + [2]).clone()).requires_grad_(requires_grad)


_c_names = {torch.float32: "float", torch.float64: "double", torch.int64: "int64_t", torch.int32: "int", torch.int16: "int16_t", torch.int8: "int8_t",
            torch.uint8: "uint8_t", torch.float16: "at::Half", torch.bfloat16: "at::BFloat16"}


def _size(sizes, kwargs):
    if "size" in kwargs:
        return list(kwargs["size"])
    return list(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else list(sizes)


def _sized(value):
    def create(*sizes, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False, **kwargs):
        target = part_dtype(dtype)
        size = _size(sizes, kwargs)
        pairs = torch.zeros(size + [2], dtype=target, device=device)
        if value != 0:
            pairs.select(-1, 0).fill_(value)
        return Tensor(pairs).requires_grad_(requires_grad)
    return create


def _like(value):
    def create(input, *, dtype=None, device=None, requires_grad=False, layout=None, memory_format=None):
        dtype = input.dtype if dtype is None else dtype
        if not dtype.is_complex:
            return torch.full_like(input.real, value, dtype=dtype, requires_grad=requires_grad)
        base = input._pairs if isinstance(input, Tensor) else torch.stack([input, input], -1)
        pairs = torch.zeros_like(base, dtype=part_dtype(dtype))
        if value != 0:
            pairs.select(-1, 0).fill_(value)
        return Tensor(pairs).requires_grad_(requires_grad)
    return create


def full_like(input, fill_value, *, dtype=None, requires_grad=False, memory_format=None, **kwargs):
    dtype = input.dtype if dtype is None else dtype
    return full(list(input.shape), fill_value, dtype=dtype, requires_grad=requires_grad)


def _new(create):
    def method(input, *args, dtype=None, **kwargs):
        return create(*args, dtype=input.dtype if dtype is None else dtype, **kwargs)
    return method


def randn(*sizes, dtype=None, generator=None, requires_grad=False, device=None, **kwargs):
    # Each part has half of the variance.
    pairs = torch.randn(_size(sizes, kwargs) + [2], dtype=part_dtype(dtype), generator=generator)
    return Tensor(pairs * math.sqrt(0.5)).requires_grad_(requires_grad)


def rand(*sizes, dtype=None, generator=None, requires_grad=False, device=None, **kwargs):
    return Tensor(torch.rand(_size(sizes, kwargs) + [2], dtype=part_dtype(dtype), generator=generator)).requires_grad_(requires_grad)


def eye(n, m=None, *, dtype=None, **kwargs):
    return as_complex(torch.eye(n, n if m is None else m, dtype=part_dtype(dtype)), dtype)


def linspace(start, end, steps, *, dtype=None, **kwargs):
    a, b = parts(start), parts(end)
    dtype = default_dtype() if dtype is None else dtype
    return make(torch.linspace(a[0], b[0], steps, dtype=part_dtype(dtype)), torch.linspace(a[1], b[1], steps, dtype=part_dtype(dtype)))


# -------------------------------------------------------------------------------------------- conversions

def to(input, *args, **kwargs):
    dtype = kwargs.get("dtype", None)
    other = kwargs.get("other", None)
    copy = kwargs.get("copy", False)
    for a in args:
        if isinstance(a, torch.dtype):
            dtype = a
        elif isinstance(a, torch.Tensor):
            other = a
    if other is not None:
        dtype = other.dtype
    if not isinstance(input, Tensor):
        return as_complex(input, dtype)
    if dtype is None:
        return Tensor(input._pairs.to(*args, **kwargs), input._conjugated)
    if dtype == input.dtype:
        return input.clone() if copy else input
    if dtype.is_complex:
        return as_complex(input, dtype)
    if dtype == torch.bool:
        return input != 0
    import warnings
    warnings.warn("Casting complex values to real discards the imaginary part")
    return input.real.to(dtype, copy=True)


def type_(input, dtype, non_blocking=False):
    return to(input, dtype)


def _converted(dtype):
    return lambda input, *args, **kwargs: to(input, dtype)


def result_type(input, other):
    """That of the parts, as a complex dtype."""
    def part(value):
        if isinstance(value, Tensor):
            return value.real
        return 1.0 if isinstance(value, complex) else value
    real = torch.result_type(part(input), part(other))
    return torch.complex128 if real == torch.float64 else torch.complex64


creation = {
    "tensor": tensor, "as_tensor": as_tensor, "asarray": as_tensor, "full": full, "zeros": _sized(0), "ones": _sized(1), "empty": _sized(0),
    "zeros_like": _like(0), "ones_like": _like(1), "empty_like": _like(0), "full_like": full_like, "new_zeros": _new(_sized(0)), "new_ones": _new(_sized(1)),
    "new_empty": _new(_sized(0)), "new_full": _new(full), "new_tensor": _new(tensor), "randn": randn, "rand": rand,
    "randn_like": lambda input, dtype=None: randn(list(input.shape), dtype=input.dtype if dtype is None else dtype),
    "rand_like": lambda input, dtype=None: rand(list(input.shape), dtype=input.dtype if dtype is None else dtype), "eye": eye, "linspace": linspace,
    "to": to, "type": type_, "type_as": lambda input, other: to(input, other.dtype), "result_type": result_type, "cfloat": _converted(torch.complex64),
    "cdouble": _converted(torch.complex128), "float": _converted(torch.float32), "double": _converted(torch.float64), "half": _converted(torch.float16),
    "bfloat16": _converted(torch.bfloat16), "int": _converted(torch.int32), "long": _converted(torch.int64), "short": _converted(torch.int16),
    "char": _converted(torch.int8), "byte": _converted(torch.uint8), "bool": _converted(torch.bool), "cpu": lambda input: input,
}
