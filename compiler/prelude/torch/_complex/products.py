"""Products of matrices and vectors: four real ones each."""
import torch
from torch._complex import Tensor, _kind
from torch._complex.elements import add, make, mul

_scalar_names = {torch.float32: "float", torch.float64: "double", torch.complex64: "c10::complex<float>", torch.complex128: "c10::complex<double>",
                 torch.int64: "long long"}
_names = {torch.float32: "Float", torch.float64: "Double", torch.complex64: "ComplexFloat", torch.complex128: "ComplexDouble", torch.int64: "Long"}


def _same_dtype(a, b):
    if a.dtype != b.dtype:
        if a.dim() == 1 and b.dim() == 1:
            raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {_names[a.dtype]} and {_names[b.dtype]}")
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {_scalar_names[a.dtype]} != {_scalar_names[b.dtype]}")


def _bilinear(product):
    def multiply(input, other):
        _same_dtype(input, other)
        a, b = (input.real, input.imag), (other.real, other.imag)
        return make(product(a[0], b[0]) - product(a[1], b[1]), product(a[0], b[1]) + product(a[1], b[0]))
    return multiply


def vdot(input, other):
    return products["dot"](input.conj(), other)


def outer(input, vec2):
    if input.dim() != 1 or vec2.dim() != 1:
        raise RuntimeError(f"outer: Expected 1-D argument {'self' if input.dim() != 1 else 'vec2'}, but got {input.dim() if input.dim() != 1 else vec2.dim()}-D")
    return mul(input.unsqueeze(-1), vec2)


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    return add(mul(input, beta), mul(products["mm"](mat1, mat2), alpha))


def einsum(equation, *operands):
    operands = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else list(operands)
    if len(operands) == 1:
        return make(torch.einsum(equation, operands[0].real), torch.einsum(equation, operands[0].imag))
    if len(operands) != 2:
        raise NotImplementedError("not supported: einsum of more than two complex tensors")
    return _bilinear(lambda a, b: torch.einsum(equation, a, b))(operands[0], operands[1])


products = {
    "matmul": _bilinear(torch.matmul), "mm": _bilinear(torch.mm), "bmm": _bilinear(torch.bmm), "mv": _bilinear(torch.mv), "dot": _bilinear(torch.dot),
    "vdot": vdot, "inner": _bilinear(torch.inner), "outer": outer, "ger": outer, "kron": _bilinear(torch.kron), "addmm": addmm, "einsum": einsum,
}
