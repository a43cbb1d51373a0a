"""Functions of elements."""
import math
import torch
from torch import _nn


def _as_tensor(value, like):
    """A number as PyTorch wraps it: by its own kind, unless the tensor's is at least that."""
    if isinstance(value, torch.Tensor):
        return value
    if isinstance(value, bool):
        return torch.tensor(value)
    if isinstance(value, int):
        return torch.tensor(value, dtype=torch.int64 if like.dtype == torch.bool else like.dtype)
    return torch.tensor(value, dtype=like.dtype if like.is_floating_point() else torch.get_default_dtype())


def ldexp(input, other):
    return _nn.renamed(input * torch.pow(2.0, other), "LdexpBackward0")


def frexp(input):
    if not input.is_floating_point():
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    wide = input.to(torch.float64)
    size = wide.detach().abs()
    ordinary = torch.logical_and(size > 0, torch.isfinite(size))
    exponent = torch.where(ordinary, torch.floor(torch.log2(torch.where(ordinary, size, 1.0))) + 1, 0.0)
    # The logarithm may be rounded up to, or down from, a whole number.
    scaled = torch.where(ordinary, size, 0.5) * torch.pow(2.0, -exponent)
    exponent = torch.where(scaled >= 1, exponent + 1, torch.where(scaled < 0.5, exponent - 1, exponent))
    mantissa = _nn.renamed((wide * torch.pow(2.0, -exponent)).to(input.dtype), "FrexpBackward0")
    return _nn.return_type("frexp", mantissa, exponent.to(torch.int32))


def float_power(input, exponent):
    if isinstance(input, torch.Tensor):
        input = input.to(torch.float64)
    if isinstance(exponent, torch.Tensor):
        exponent = exponent.to(torch.float64)
    return torch.pow(input, exponent)


def _integers(name, input, other):
    dtype = torch.result_type(input, other)
    if dtype.is_floating_point or dtype == torch.bool:
        kind = {torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16", torch.bool: "Bool"}[dtype]
        raise NotImplementedError(f'"{name}_cpu" not implemented for \'{kind}\'')
    a, b = torch.broadcast_tensors(input, _as_tensor(other, input))
    return a.to(dtype).contiguous(), b.to(dtype).contiguous()


def gcd(input, other):
    a, b = _integers("gcd", input, other)
    return _nn.gcd(a, b)


def lcm(input, other):
    a, b = _integers("lcm", input, other)
    divisor = _nn.gcd(a, b)
    quotient = torch.div(a, torch.where(divisor == 0, 1, divisor), rounding_mode="trunc")
    return (quotient * b).abs()


def positive(input):
    if input.dtype == torch.bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def real(input):
    return input


def conj(input):
    return input


def conj_physical(input):
    return input


def resolve_conj(input):
    return input


def resolve_neg(input):
    return input


def is_conj(input):
    return False


def is_neg(input):
    return False


def isreal(input):
    return torch.ones_like(input, dtype=torch.bool)


def angle(input):
    dtype = input.dtype if input.is_floating_point() else torch.get_default_dtype()
    x = input.to(dtype)
    result = torch.where(x < 0, math.pi, torch.where(torch.isnan(x), x, 0.0)).detach()
    if input.requires_grad and torch.is_grad_enabled():
        return _nn.renamed(result + 0 * torch.where(torch.isfinite(x), x, 0.0), "AngleBackward0")
    return result


def mvlgamma(input, p):
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    shifts = torch.arange(-p / 2 + 0.5, 0.5, 0.5, dtype=input.dtype)
    total = torch.lgamma(input.unsqueeze(-1) + shifts).sum(-1) + p * (p - 1) / 4 * math.log(math.pi)
    return _nn.renamed(total, "MvlgammaBackward0")


def logspace(start, end, steps, base=10.0, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    dtype = torch.get_default_dtype() if dtype is None else dtype
    if dtype.is_floating_point:
        # The exponent is a number of the result's dtype, its power is taken in double.
        result = torch.pow(base, torch.linspace(start, end, steps, dtype=dtype).double()).to(dtype)
    else:
        step = (end - start) / (steps - 1) if steps > 1 else 0.0
        half = steps // 2
        exponents = [start + step * i if i < half else end - step * (steps - 1 - i) for i in range(steps)]
        result = torch.tensor([base ** e for e in exponents], dtype=torch.float64).to(dtype)
    return result.requires_grad_() if requires_grad else result


def isin(elements, test_elements, *, assume_unique=False, invert=False):
    if not isinstance(elements, torch.Tensor):
        elements = _as_tensor(elements, test_elements)
    if not isinstance(test_elements, torch.Tensor):
        test_elements = _as_tensor(test_elements, elements)
    return _nn.isin(elements, test_elements, assume_unique=assume_unique, invert=invert)


def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    if side is not None:
        if side not in ("left", "right"):
            raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
        if side == "left" and right:
            raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True")
        right = side == "right"
    if sorter is not None:
        sorted_sequence = sorted_sequence.gather(-1, sorter)
    scalar = not isinstance(input, torch.Tensor)
    if scalar:
        if sorted_sequence.dim() != 1:
            raise RuntimeError(f"torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries tensor dim({sorted_sequence.dim()}) and input value's dim(0) numel(1)")
        input = _as_tensor(input, sorted_sequence)
    dtype = torch.promote_types(sorted_sequence.dtype, input.dtype)
    return _nn.searchsorted(sorted_sequence.to(dtype), input.to(dtype), out_int32=out_int32, right=right)


def bucketize(input, boundaries, *, out_int32=False, right=False):
    if boundaries.dim() != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.dim()})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def hann_window(window_length, periodic=True, **options):
    return hamming_window(window_length, periodic, 0.5, 0.5, **options)


def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, device=None, layout=None, requires_grad=False):
    dtype = torch.get_default_dtype() if dtype is None else dtype
    if window_length < 2:
        return torch.ones(window_length, dtype=dtype)
    n = window_length + 1 if periodic else window_length
    window = torch.arange(n, dtype=dtype).mul_(2.0 * math.pi / (n - 1)).cos_().mul_(-beta).add_(alpha)
    return window.narrow(0, 0, n - 1) if periodic else window


def blackman_window(window_length, periodic=True, *, dtype=None, device=None, layout=None, requires_grad=False):
    dtype = torch.get_default_dtype() if dtype is None else dtype
    if window_length < 2:
        return torch.ones(window_length, dtype=dtype)
    n = window_length + 1 if periodic else window_length
    window = torch.arange(n, dtype=dtype).mul_(math.pi / (n - 1))
    window = window.mul(4).cos_().mul_(0.08) - window.mul(2).cos_().mul_(0.5) + 0.42
    return window.narrow(0, 0, n - 1) if periodic else window


def bartlett_window(window_length, periodic=True, *, dtype=None, device=None, layout=None, requires_grad=False):
    dtype = torch.get_default_dtype() if dtype is None else dtype
    if window_length < 2:
        return torch.ones(window_length, dtype=dtype)
    n = window_length + 1 if periodic else window_length
    window = torch.arange(n, dtype=dtype).mul_(2.0 / (n - 1))
    half = ((n - 1) >> 1) + 1
    window.narrow(0, half, n - half).mul_(-1).add_(2)
    return window.narrow(0, 0, n - 1) if periodic else window
