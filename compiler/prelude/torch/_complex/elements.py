"""Functions of elements, comparisons and reductions, on real and imaginary parts."""
import math
import torch
from torch import _nn
from torch._complex import Tensor


def parts(value):
    """Real and imaginary part of a tensor or number; those of real ones are themselves and 0."""
    if isinstance(value, Tensor):
        return value.real, value.imag
    if isinstance(value, complex):
        return value.real, value.imag
    if isinstance(value, torch.Tensor) and value.dtype == torch.bool:
        return value.to(torch.get_default_dtype()), 0.0
    return value, 0.0


def make(re, im):
    if not isinstance(re, torch.Tensor):
        re = torch.full_like(im, re)
    if not isinstance(im, torch.Tensor):
        im = torch.full_like(re, im)
    if not re.is_floating_point():
        re = re.to(im.dtype if im.is_floating_point() else torch.get_default_dtype())
    if re.shape != im.shape:
        re, im = torch.broadcast_tensors(re, im)
    return Tensor(torch.stack([re, im.to(re.dtype)], -1))


def add(input, other, *, alpha=1):
    a, b = parts(input), parts(other if alpha == 1 else mul(other, alpha) if isinstance(alpha, complex) else other * alpha)
    return make(a[0] + b[0], a[1] + b[1])


def sub(input, other, *, alpha=1):
    a, b = parts(input), parts(other if alpha == 1 else mul(other, alpha) if isinstance(alpha, complex) else other * alpha)
    return make(a[0] - b[0], a[1] - b[1])


def rsub(input, other, *, alpha=1):
    return sub(other, input, alpha=alpha)


def mul(input, other):
    a, b = parts(input), parts(other)
    return make(a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0])


def div(input, other, *, rounding_mode=None):
    if rounding_mode is not None:
        raise NotImplementedError('"div_floor_cpu" not implemented for \'ComplexFloat\'' if rounding_mode == "floor" else '"div_trunc_cpu" not implemented for \'ComplexFloat\'')
    a, b = parts(input), parts(other)
    if not isinstance(other, torch.Tensor):
        re, im = abs(b[0]), abs(b[1])
        if re == 0 and im == 0:
            return make(a[0] / torch.zeros_like(a[0]), a[1] / torch.zeros_like(a[0]))
        if re >= im:
            ratio = b[1] / b[0]
            scale = 1.0 / (b[0] + b[1] * ratio)
            return make((a[0] + a[1] * ratio) * scale, (a[1] - a[0] * ratio) * scale)
        ratio = b[0] / b[1]
        scale = 1.0 / (b[0] * ratio + b[1])
        return make((a[0] * ratio + a[1]) * scale, (a[1] * ratio - a[0]) * scale)
    size = b[0] * b[0] + b[1] * b[1]
    # By zero, each part goes to infinity on its own.
    zero = size == 0
    re = torch.where(zero, a[0] / abs(b[0]), (a[0] * b[0] + a[1] * b[1]) / size)
    im = torch.where(zero, a[1] / abs(b[0]), (a[1] * b[0] - a[0] * b[1]) / size)
    return make(re, im)


def reciprocal(input):
    a = parts(input)
    size = a[0] * a[0] + a[1] * a[1]
    return make(a[0] / size, -a[1] / size)


def neg(input):
    return make(-input.real, -input.imag)


def absolute(input):
    return torch.linalg.vector_norm(input._pairs, dim=-1)


def angle(input):
    return torch.atan2(input.imag, input.real)


def sgn(input):
    size = absolute(input)
    safe = torch.where(size == 0, 1.0, size)
    return make(input.real / safe, input.imag / safe)


def exp(input):
    a = parts(input)
    size = torch.exp(a[0])
    return make(size * torch.cos(a[1]), size * torch.sin(a[1]))


def expm1(input):
    return sub(exp(input), 1)


def log(input):
    return make(torch.log(absolute(input)), angle(input))


def log2(input):
    return div(log(input), math.log(2))


def log10(input):
    return div(log(input), math.log(10))


def log1p(input):
    return log(add(input, 1))


def exp2(input):
    return exp(mul(input, math.log(2)))


def sqrt(input):
    re, im = input.real, input.imag
    half = torch.sqrt((abs(re) + absolute(input)) / 2)
    safe = torch.where(half == 0, 1.0, half)
    other = im / (2 * safe)
    left = re < 0
    # The imaginary part has the sign of the number's own, also of a zero.
    return make(torch.where(left, abs(other), half), torch.where(left, torch.copysign(half, im), other))


def rsqrt(input):
    return reciprocal(sqrt(input))


def square(input):
    return mul(input, input)


def _complex_of(value, like):
    if isinstance(value, Tensor):
        return value
    if isinstance(value, torch.Tensor):
        return make(value, 0.0)
    re, im = parts(value)
    return make(torch.full_like(like.real if isinstance(like, Tensor) else like * 1.0, re), im)


def pow(input, exponent):
    if not isinstance(exponent, torch.Tensor) and not isinstance(exponent, complex):
        if exponent == 0:
            return make(torch.ones_like(input.real), torch.zeros_like(input.real))
        if exponent == 1:
            return make(input.real, input.imag)
        if exponent == 0.5:
            return sqrt(input)
        if exponent == 2:
            return mul(input, input)
        if exponent == 3:
            return mul(mul(input, input), input)
        if exponent == -0.5:
            return rsqrt(input)
        if exponent == -1:
            return reciprocal(input)
        if exponent == -2:
            return reciprocal(mul(input, input))
    base = _complex_of(input, exponent)
    zero = absolute(base) == 0
    result = exp(mul(exponent, log(make(torch.where(zero, 1.0, base.real), base.imag))))
    return make(torch.where(zero, 0.0, result.real), torch.where(zero, 0.0, result.imag))


def sin(input):
    return make(torch.sin(input.real) * torch.cosh(input.imag), torch.cos(input.real) * torch.sinh(input.imag))


def cos(input):
    return make(torch.cos(input.real) * torch.cosh(input.imag), -torch.sin(input.real) * torch.sinh(input.imag))


def tan(input):
    return div(sin(input), cos(input))


def sinh(input):
    return make(torch.sinh(input.real) * torch.cos(input.imag), torch.cosh(input.real) * torch.sin(input.imag))


def cosh(input):
    return make(torch.cosh(input.real) * torch.cos(input.imag), torch.sinh(input.real) * torch.sin(input.imag))


def tanh(input):
    re, im = 2 * input.real, 2 * input.imag
    size = torch.cosh(re) + torch.cos(im)
    return make(torch.sinh(re) / size, torch.sin(im) / size)


def sigmoid(input):
    return reciprocal(add(exp(neg(input)), 1))


def _times_i(input):
    return make(-input.imag, input.real)


def asin(input):
    # -i log(iz + sqrt(1 - z²))
    inner = log(add(_times_i(input), sqrt(rsub(mul(input, input), 1))))
    return make(inner.imag, -inner.real)


def acos(input):
    a = asin(input)
    return make(math.pi / 2 - a.real, -a.imag)


def atan(input):
    # (i / 2) (log(1 - iz) - log(1 + iz))
    turned = _times_i(input)
    inner = sub(log(rsub(turned, 1)), log(add(turned, 1)))
    return make(-inner.imag / 2, inner.real / 2)


def addcmul(input, tensor1, tensor2, *, value=1):
    return add(input, mul(mul(tensor1, tensor2), value))


def addcdiv(input, tensor1, tensor2, *, value=1):
    return add(input, mul(div(tensor1, tensor2), value))


def lerp(input, end, weight):
    return add(input, mul(sub(end, input), weight))


def positive(input):
    return input


def conj_physical(input):
    return make(input.real, -input.imag)


# ------------------------------------------------------------------------------------------- comparisons

def eq(input, other):
    a, b = parts(input), parts(other)
    return torch.logical_and(a[0] == b[0], torch.as_tensor(a[1] == b[1]))


def ne(input, other):
    return torch.logical_not(eq(input, other))


def isnan(input):
    return torch.logical_or(torch.isnan(input.real), torch.isnan(input.imag))


def isinf(input):
    return torch.logical_or(torch.isinf(input.real), torch.isinf(input.imag))


def isfinite(input):
    return torch.logical_and(torch.isfinite(input.real), torch.isfinite(input.imag))


def isreal(input):
    return input.imag == 0


def is_nonzero(input):
    return bool(input)


def logical_not(input):
    return eq(input, 0)


def equal(input, other):
    if input.shape != other.shape:
        return False
    return bool(eq(input, other).all())


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    if not isinstance(other, Tensor) or input.dtype != other.dtype:
        names = {torch.complex64: "ComplexFloat", torch.complex128: "ComplexDouble", torch.float32: "Float", torch.float64: "Double"}
        raise RuntimeError(f"{names[input.dtype]} did not match {names[other.dtype]}")
    near = absolute(sub(input, other)) <= atol + rtol * absolute(other)
    close = torch.logical_or(eq(input, other), torch.logical_and(near, isfinite(input)))
    return torch.logical_or(close, torch.logical_and(isnan(input), isnan(other))) if equal_nan else close


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


def nonzero(input, *, as_tuple=False):
    return torch.nonzero(ne(input, 0), as_tuple=as_tuple)


def count_nonzero(input, dim=None):
    return torch.count_nonzero(ne(input, 0)) if dim is None else torch.count_nonzero(ne(input, 0), dim)


def all_(input, *args, **kwargs):
    return torch.all(ne(input, 0), *args, **kwargs)


def any_(input, *args, **kwargs):
    return torch.any(ne(input, 0), *args, **kwargs)


# -------------------------------------------------------------------------------------------- reductions

def sum_(input, *args, dtype=None, **kwargs):
    if not isinstance(input, Tensor):
        return sum_(input.to(dtype), *args, **kwargs)
    if dtype is not None and not dtype.is_complex:
        return torch.sum(input.to(dtype), *args, **kwargs)
    value = input if dtype is None else input.to(dtype)
    return make(value.real.sum(*args, **kwargs), value.imag.sum(*args, **kwargs))


def mean(input, *args, dtype=None, **kwargs):
    value = input if dtype is None else input.to(dtype)
    return make(value.real.mean(*args, **kwargs), value.imag.mean(*args, **kwargs))


def prod(input, dim=None, keepdim=False, *, dtype=None):
    values = input.reshape(-1).unbind(0) if dim is None else input.unbind(dim)
    if len(values) == 0:
        raise NotImplementedError("not supported: the product of no complex numbers")
    result = values[0]
    for value in values[1:]:
        result = mul(result, value)
    if dim is not None and keepdim:
        return result.unsqueeze(dim)
    return make(result.real, result.imag)


def cumprod(input, dim, *, dtype=None):
    values = input.unbind(dim)
    results = [values[0]]
    for value in values[1:]:
        results.append(mul(results[-1], value))
    return make(torch.stack([z.real for z in results], dim), torch.stack([z.imag for z in results], dim))


def var(input, *args, **kwargs):
    return torch.var(input.real, *args, **kwargs) + torch.var(input.imag, *args, **kwargs)


def std(input, *args, **kwargs):
    return torch.sqrt(var(input, *args, **kwargs))


def norm(input, *args, **kwargs):
    return torch.linalg.norm(absolute(input), *args, **kwargs)


def vector_norm(input, *args, **kwargs):
    return torch.linalg.vector_norm(absolute(input), *args, **kwargs)


elements = {
    "add": add, "sub": sub, "subtract": sub, "rsub": rsub, "mul": mul, "multiply": mul, "div": div, "divide": div, "true_divide": div, "reciprocal": reciprocal,
    "neg": neg, "negative": neg, "abs": absolute, "absolute": absolute, "angle": angle, "sgn": sgn, "exp": exp, "expm1": expm1, "exp2": exp2, "log": log,
    "log2": log2, "log10": log10, "log1p": log1p, "sqrt": sqrt, "rsqrt": rsqrt, "square": square, "pow": pow, "sin": sin, "cos": cos, "tan": tan,
    "sinh": sinh, "cosh": cosh, "tanh": tanh, "sigmoid": sigmoid, "asin": asin, "arcsin": asin, "acos": acos, "arccos": acos, "atan": atan, "arctan": atan,
    "addcmul": addcmul, "addcdiv": addcdiv, "lerp": lerp, "positive": positive, "conj_physical": conj_physical, "eq": eq, "ne": ne, "not_equal": ne,
    "isnan": isnan, "isinf": isinf, "isfinite": isfinite, "isreal": isreal, "logical_not": logical_not, "is_nonzero": is_nonzero, "equal": equal, "isclose": isclose,
    "allclose": allclose, "nonzero": nonzero, "count_nonzero": count_nonzero, "all": all_, "any": any_, "sum": sum_, "mean": mean, "prod": prod,
    "cumprod": cumprod, "var": var, "std": std, "norm": norm, "vector_norm": vector_norm, "linalg_vector_norm": vector_norm,
}


def _not_implemented(*names):
    return {name: (NotImplementedError, f"\"{text}\" not implemented for '{{kind}}'") for name, text in names}


errors = _not_implemented(
    ("lt", "lt_cpu"), ("le", "le_cpu"), ("gt", "gt_cpu"), ("ge", "ge_cpu"), ("less", "lt_cpu"), ("less_equal", "le_cpu"), ("greater", "gt_cpu"),
    ("greater_equal", "ge_cpu"), ("max", "max_all"), ("min", "min_all"), ("round", "round_vml_cpu"), ("frac", "frac_cpu"), ("median", "median_cpu"),
    ("kthvalue", "kthvalue_cpu"), ("mode", "mode_cpu"), ("amax", "max_values_cpu"), ("amin", "min_values_cpu"), ("erf", "erf_vml_cpu"),
    ("lgamma", "lgamma_vml_cpu"), ("digamma", "digamma"), ("unique", "unique"), ("bincount", "bincount_cpu"), ("softmax", "softmax_lastdim_kernel_impl"),
    ("log_softmax", "log_softmax_lastdim_kernel_impl"), ("fmod", "fmod_cpu"), ("remainder", "remainder_cpu"), ("floor_divide", "div_floor_cpu"),
    ("bitwise_and", "bitwise_and_cpu"), ("bitwise_or", "bitwise_or_cpu"), ("bitwise_xor", "bitwise_xor_cpu"), ("atan2", "atan2_cpu"), ("mse_loss", "mse_cpu"),
    ("arange", "arange_cpu"))
errors.update({
    "sort": (TypeError, " Sort does not support complex dtypes on CPU"),
    "argsort": (TypeError, " Sort does not support complex dtypes on CPU"),
    "msort": (TypeError, " Sort does not support complex dtypes on CPU"),
    "topk": (TypeError, " topk does not support complex dtypes on CPU"),
    "argmax": (TypeError, "argmax(): does not support complex input"),
    "argmin": (TypeError, "argmin(): does not support complex input"),
    "floor": (NotImplementedError, "floor is not supported for complex inputs"),
    "ceil": (NotImplementedError, "ceil is not supported for complex inputs"),
    "trunc": (NotImplementedError, "trunc is not supported for complex inputs"),
    "fix": (NotImplementedError, "trunc is not supported for complex inputs"),
    "sign": (NotImplementedError, "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."),
    "relu": (NotImplementedError, "clamp is not supported for complex types"),
    "clamp": (NotImplementedError, "clamp is not supported for complex types"),
    "clip": (NotImplementedError, "clamp is not supported for complex types"),
    "aminmax": (TypeError, "aminmax not implemented for {kind}"),
    "histc": (TypeError, "aminmax not implemented for {kind}"),
    "isposinf": (TypeError, "isposinf does not support complex inputs."),
    "isneginf": (TypeError, "isneginf does not support complex inputs."),
    "deg2rad": (NotImplementedError, "deg2rad is not supported for complex tensors."),
    "rad2deg": (NotImplementedError, "rad2deg is not supported for complex tensors."),
    "nansum": (NotImplementedError, "nansum on CPU does not support complex inputs"),
    "maximum": (TypeError, "maximum not implemented for complex tensors."),
    "minimum": (TypeError, "minimum not implemented for complex tensors."),
    "view_as_complex": (NotImplementedError, "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: {kind}"),
})
