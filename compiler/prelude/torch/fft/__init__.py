"""Discrete Fourier transforms."""
import math
import torch
from torch import _nn
from torch._complex import Tensor, _kind
from torch._complex.elements import make
from torch.fft._transform import transform, without_noise


def _parts(input):
    """Real and imaginary part in double precision (None for a real tensor), and the dtype of the result's parts."""
    if isinstance(input, Tensor):
        return input.real.to(torch.float64), input.imag.to(torch.float64), input._pairs.dtype
    if input.dtype in (torch.float16, torch.bfloat16):
        raise NotImplementedError(f"Unsupported dtype {'Half' if input.dtype == torch.float16 else 'BFloat16'}")
    dtype = input.dtype if input.is_floating_point() else torch.get_default_dtype()
    return input.to(torch.float64), None, dtype


def _axis(input, dim):
    if input.dim() == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if dim < -input.dim() or dim >= input.dim():
        raise IndexError(f"Dimension out of range (expected to be in range of [{-input.dim()}, {input.dim() - 1}], but got {dim})")
    return dim % input.dim()


def _sized(part, axis, n):
    """Cut, or filled up with zeros."""
    if part is None:
        return None
    part = part.movedim(axis, -1)
    if n < part.size(-1):
        return part[..., :n]
    if n > part.size(-1):
        return torch.cat([part, torch.zeros(list(part.shape[:-1]) + [n - part.size(-1)], dtype=part.dtype)], -1)
    return part


def _check_length(n):
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def _scale(norm, n, inverse):
    if norm is None or norm == "backward":
        return 1.0 / n if inverse else 1.0
    if norm == "forward":
        return 1.0 if inverse else 1.0 / n
    if norm == "ortho":
        return 1.0 / math.sqrt(n)
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def _rounded(re, im, source_re, source_im, dtype, scale):
    if dtype == torch.float32:
        size = (source_re.abs() if source_im is None else source_re.abs() + source_im.abs()).sum(-1, keepdim=True).detach()
        re, im = without_noise(re, size), without_noise(im, size)
    if scale != 1.0:
        re, im = re * scale, im * scale
    return re.to(dtype), im.to(dtype)


def _run(re, im, dtype, scale, inverse):
    """Of the last axis. The inverse is the conjugate of the transform of the conjugate."""
    n = re.size(-1)
    if im is None:
        out_re, out_im = transform(re, torch.zeros_like(re))
        out_re, out_im = _rounded(out_re, out_im, re, im, dtype, scale)
        # Real elements have a spectrum whose second half mirrors the first one.
        k = n // 2 + 1
        if n > 2:
            out_re = torch.cat([out_re[..., :k], out_re[..., 1:(n + 1) // 2].flip(-1)], -1)
            out_im = torch.cat([out_im[..., :k], -out_im[..., 1:(n + 1) // 2].flip(-1)], -1)
        return out_re, -out_im if inverse else out_im
    if inverse:
        # With the parts swapped, the forward transform is the inverse one.
        out_im, out_re = transform(im, re)
    else:
        out_re, out_im = transform(re, im)
    return _rounded(out_re, out_im, re, im, dtype, scale)


def _named(node, result):
    return torch._complex.functions.named(node, result)


def _complex(input, n, dim, norm, inverse):
    axis = _axis(input, dim)
    n = input.size(axis) if n is None else n
    _check_length(n)
    scale = _scale(norm, n, inverse)
    re, im, dtype = _parts(input)
    out = _run(_sized(re, axis, n), _sized(im, axis, n), dtype, scale, inverse)
    result = make(out[0].movedim(-1, axis), out[1].movedim(-1, axis))
    return _named("FftR2CBackward0" if im is None else "FftC2CBackward0", result)


def fft(input, n=None, dim=-1, norm=None, *, out=None):
    return _complex(input, n, dim, norm, False)


def ifft(input, n=None, dim=-1, norm=None, *, out=None):
    return _complex(input, n, dim, norm, True)


def rfft(input, n=None, dim=-1, norm=None, *, out=None):
    if isinstance(input, Tensor):
        raise TypeError(f"rfft expects a real input tensor, but got {_kind(input)}")
    axis = _axis(input, dim)
    full = _complex(input, n, dim, norm, False)
    return _named("FftR2CBackward0", full.narrow(axis, 0, full.size(axis) // 2 + 1))


def _from_half(input, n, dim, norm, inverse):
    """A real result from the first half of its spectrum (`inverse`), or of a conjugated one."""
    axis = _axis(input, dim)
    n = 2 * (input.size(axis) - 1) if n is None else n
    _check_length(n)
    scale = _scale(norm, n, inverse)
    re, im, dtype = _parts(input)
    if im is None:
        im = torch.zeros_like(re)
    half = n // 2 + 1
    re, im = _sized(re, axis, half), _sized(im, axis, half)
    mirrored = slice(1, (n + 1) // 2)
    # What stands in the middle and at zero is real.
    inner = im[..., mirrored]
    edge = torch.zeros_like(im[..., :1])
    im = torch.cat([edge, inner] + ([edge] if n % 2 == 0 else []) + [-inner.flip(-1)], -1) if n > 1 else edge
    re = torch.cat([re, re[..., mirrored].flip(-1)], -1) if n > 1 else re[..., :1]
    value, _ = _run(re, im, dtype, scale, inverse)
    return _named("FftC2RBackward0", value.movedim(-1, axis))


def irfft(input, n=None, dim=-1, norm=None, *, out=None):
    return _from_half(input, n, dim, norm, True)


def hfft(input, n=None, dim=-1, norm=None, *, out=None):
    return _from_half(input, n, dim, norm, False)


def ihfft(input, n=None, dim=-1, norm=None, *, out=None):
    if isinstance(input, Tensor):
        raise TypeError(f"ihfft expects a real input tensor, but got {_kind(input)}")
    axis = _axis(input, dim)
    full = _complex(input, n, dim, norm, True)
    return full.narrow(axis, 0, full.size(axis) // 2 + 1)


# ----------------------------------------------------------------------------------------- several axes

def _axes(input, s, dim):
    if s is not None and dim is not None and len(s) != len(dim):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    if dim is None:
        count = input.dim() if s is None else len(s)
        dim = list(range(input.dim() - count, input.dim()))
    axes = [_axis(input, d) for d in dim]
    if len(set(axes)) != len(axes):
        raise RuntimeError("FFT dims must be unique")
    sizes = [input.size(a) for a in axes] if s is None else [input.size(a) if n == -1 else n for a, n in zip(axes, s)]
    return axes, sizes


def fftn(input, s=None, dim=None, norm=None, *, out=None):
    axes, sizes = _axes(input, s, dim)
    result = input
    for a, n in reversed(list(zip(axes, sizes))):
        result = fft(result, n, a, norm)
    return result


def ifftn(input, s=None, dim=None, norm=None, *, out=None):
    axes, sizes = _axes(input, s, dim)
    result = input
    for a, n in reversed(list(zip(axes, sizes))):
        result = ifft(result, n, a, norm)
    return result


def rfftn(input, s=None, dim=None, norm=None, *, out=None):
    if isinstance(input, Tensor):
        raise TypeError(f"rfftn expects a real-valued input tensor, but got {_kind(input)}")
    axes, sizes = _axes(input, s, dim)
    result = rfft(input, sizes[-1], axes[-1], norm)
    for a, n in reversed(list(zip(axes[:-1], sizes[:-1]))):
        result = fft(result, n, a, norm)
    return result


def irfftn(input, s=None, dim=None, norm=None, *, out=None):
    axes, sizes = _axes(input, s, dim)
    if s is None:
        sizes[-1] = 2 * (input.size(axes[-1]) - 1)
    result = input
    for a, n in zip(axes[:-1], sizes[:-1]):
        result = ifft(result, n, a, norm)
    return irfft(result, sizes[-1], axes[-1], norm)


def fft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return fftn(input, s, dim, norm)


def ifft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return ifftn(input, s, dim, norm)


def rfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return rfftn(input, s, dim, norm)


def irfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return irfftn(input, s, dim, norm)


# ------------------------------------------------------------------------------------------- frequencies

def fftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    order = list(range((n + 1) // 2)) + list(range(-(n // 2), 0))
    return (torch.tensor(order, dtype=torch.get_default_dtype() if dtype is None else dtype) * (1.0 / (n * d))).requires_grad_(requires_grad)


def rfftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    order = list(range(n // 2 + 1))
    return (torch.tensor(order, dtype=torch.get_default_dtype() if dtype is None else dtype) * (1.0 / (n * d))).requires_grad_(requires_grad)


def _shifted(input, dim, shift):
    axes = list(range(input.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    return torch.roll(input, [shift(input.size(a)) for a in axes], axes)


def fftshift(input, dim=None):
    return _shifted(input, dim, lambda n: n // 2)


def ifftshift(input, dim=None):
    return _shifted(input, dim, lambda n: (n + 1) // 2)
