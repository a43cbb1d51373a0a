"""torch.linalg over the rows of linear algebra."""
import torch
from torch import _nn


def inv(A):
    return _nn.linalg_inv(A)


def det(A):
    return _nn.linalg_det(A)


def slogdet(A):
    return _nn.linalg_slogdet(A)


def cholesky(A, *, upper=False):
    return _nn.linalg_cholesky(A, upper=upper)


def solve(A, B, *, left=True):
    if not left:
        return _nn.linalg_solve(A.mT, B.mT).mT
    return _nn.linalg_solve(A, B)


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    return _nn.linalg_solve_triangular(A, B, upper=upper, left=left, unitriangular=unitriangular)


def qr(A, mode="reduced"):
    return _nn.linalg_qr(A, mode)


def eigh(A, UPLO="L"):
    return _nn.linalg_eigh(A, UPLO)


def eigvalsh(A, UPLO="L"):
    return eigh(A, UPLO)[0]


def svd(A, full_matrices=True):
    return _nn.linalg_svd(A, full_matrices)


def svdvals(A):
    return svd(A, False)[1]


def pinv(A, rcond=None):
    u, s, vh = svd(A, False)
    cutoff = (max(A.size(-2), A.size(-1)) * torch.finfo(A.dtype).eps if rcond is None else rcond) * s.amax(-1, keepdim=True)
    inverse = torch.where(s > cutoff, 1 / s, 0.0)
    return vh.mT @ (inverse.unsqueeze(-1) * u.mT)


def matrix_rank(A, *, tol=None):
    s = svdvals(A)
    limit = max(A.size(-2), A.size(-1)) * torch.finfo(A.dtype).eps * s.amax(-1, keepdim=True) if tol is None else tol
    return (s > limit).sum(-1)


def cond(A, p=None):
    if p is not None and p != 2:
        raise NotImplementedError("not supported: torch.linalg.cond with p other than 2")
    s = svdvals(A)
    return s[..., 0] / s[..., -1]


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    return _nn.linalg_vector_norm(x, ord, dim, keepdim, dtype=dtype)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    if ord == "fro":
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    rows, columns = dim[0] % A.dim(), dim[1] % A.dim()
    if ord == 1 or ord == -1:
        rows, columns = columns, rows
    if ord in (1, -1, float("inf"), float("-inf")):
        sums = A.abs().sum(columns, keepdim=True)
        result = sums.amax(rows, keepdim=True) if ord > 0 else sums.amin(rows, keepdim=True)
        return result if keepdim else result.squeeze((rows, columns))
    if keepdim or (rows, columns) != (A.dim() - 2, A.dim() - 1):
        raise NotImplementedError("not supported: this norm of matrices along other axes than the last two, or with keepdim")
    s = svdvals(A)
    if ord == "nuc":
        return s.sum(-1)
    return s.amax(-1) if ord == 2 else s.amin(-1)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    if ord is not None and (isinstance(dim, tuple) and len(dim) == 2 or dim is None and A.dim() == 2):
        return matrix_norm(A, ord, (0, 1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


def matrix_power(A, n):
    if n < 0:
        A, n = inv(A), -n
    if n == 0:
        return torch.eye(A.size(-1), dtype=A.dtype).expand(A.shape).clone()
    result = None
    while n > 0:
        if n % 2 == 1:
            result = A if result is None else result @ A
        n //= 2
        if n > 0:
            A = A @ A
    return result


def multi_dot(tensors):
    result = tensors[0]
    for t in tensors[1:]:
        result = result @ t
    return result


def cross(input, other, *, dim=-1):
    return _nn.linalg_cross(input, other, dim=dim)


def vecdot(x, y, *, dim=-1):
    return (x * y).sum(dim)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    return torch.diagonal(A, offset, dim1, dim2)


def matmul(input, other):
    return torch.matmul(input, other)
