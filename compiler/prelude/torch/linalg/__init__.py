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


def _is_vector(A, B):
    return B.dim() == 1 or A.dim() - 1 == B.dim() and tuple(B.shape) == tuple(A.shape)[:-1]


def _same_batch(A, B):
    """Both with the batch that they broadcast to."""
    if A.dim() < 2 or B.dim() < 2 or tuple(A.shape)[:-2] == tuple(B.shape)[:-2]:
        return A, B
    batch = list(torch.broadcast_shapes(tuple(A.shape)[:-2], tuple(B.shape)[:-2]))
    return A.expand(batch + list(A.shape)[-2:]), B.expand(batch + list(B.shape)[-2:])


def solve(A, B, *, left=True):
    if not left:
        A, B = _same_batch(A, B)
        return _nn.linalg_solve(A.mT, B.mT).mT
    if not _is_vector(A, B):
        A, B = _same_batch(A, B)
    return _nn.linalg_solve(A, B)


def solve_ex(A, B, *, left=True, check_errors=False):
    return _nn.return_type("linalg_solve_ex", solve(A, B, left=left), torch.zeros(tuple(A.shape)[:-2], dtype=torch.int32))


def inv_ex(A, *, check_errors=False):
    return _nn.return_type("linalg_inv_ex", inv(A), torch.zeros(tuple(A.shape)[:-2], dtype=torch.int32))


def cholesky_ex(A, *, upper=False, check_errors=False):
    return _nn.return_type("linalg_cholesky_ex", cholesky(A, upper=upper), torch.zeros(tuple(A.shape)[:-2], dtype=torch.int32))


def lu(A, *, pivot=True):
    if not pivot:
        raise RuntimeError("linalg.lu: LU without pivoting is not implemented on the CPU")
    return _nn.linalg_lu(A)


def lu_factor_ex(A, *, pivot=True, check_errors=False):
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    return _nn.linalg_lu_factor_ex(A)


def lu_factor(A, *, pivot=True):
    factor = lu_factor_ex(A, pivot=pivot)
    return _nn.return_type("linalg_lu_factor", factor[0], factor[1])


def lu_solve(LU, pivots, B, *, left=True, adjoint=False):
    if not left:
        return lu_solve(LU, pivots, B.mT, adjoint=not adjoint).mT
    P, L, U = torch.lu_unpack(LU, pivots)
    if adjoint:
        middle = _nn.linalg_solve_triangular(U.mT, B, upper=False)
        result = P @ _nn.linalg_solve_triangular(L.mT, middle, upper=True, unitriangular=True)
    else:
        middle = _nn.linalg_solve_triangular(L, P.mT @ B, upper=False, unitriangular=True)
        result = _nn.linalg_solve_triangular(U, middle, upper=True)
    return _nn.renamed(result, "LinalgLuSolveBackward0")


def lstsq(A, B, rcond=None, *, driver=None):
    vector = _is_vector(A, B)
    b = B.unsqueeze(-1) if vector else B
    m, n = A.size(-2), A.size(-1)
    if m >= n:
        q, r = _nn.linalg_qr(A, "reduced")
        solution = _nn.linalg_solve_triangular(r, q.mT @ b, upper=True)
    else:
        q, r = _nn.linalg_qr(A.mT, "reduced")
        solution = q @ _nn.linalg_solve_triangular(r.mT, b, upper=False)
    residuals = torch.empty(0, dtype=A.dtype)
    if m > n and driver is not None and driver != "gelsy":
        residuals = ((A @ solution - b) ** 2).sum(-2).detach()
    rank = torch.full(tuple(A.shape)[:-2], min(m, n), dtype=torch.int64)
    if driver == "gels":
        rank = torch.empty(0, dtype=torch.int64)
    solution = _nn.renamed(solution.squeeze(-1) if vector else solution, "LinalgLstsqBackward0")
    return _nn.return_type("linalg_lstsq", solution, residuals, rank, torch.empty(0, dtype=A.dtype))


def matrix_exp(A):
    return _nn.linalg_matrix_exp(A)


def tensorinv(A, ind=2):
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    front, back = list(A.shape)[:ind], list(A.shape)[ind:]
    size = 1
    for s in back:
        size *= s
    return inv(A.reshape(-1, size)).reshape(back + front)


def tensorsolve(A, B, dims=None):
    if dims is not None:
        A = A.movedim(dims, tuple(range(A.dim() - len(dims), A.dim())))
    rest = list(A.shape)[B.dim():]
    size = 1
    for s in rest:
        size *= s
    return solve(A.reshape(-1, size), B.reshape(-1)).reshape(rest)


def vander(x, *, N=None):
    n = x.size(-1) if N is None else N
    ones = torch.ones_like(x).unsqueeze(-1)
    return torch.cat([ones, x.unsqueeze(-1).expand(list(x.shape) + [n - 1]).cumprod(-1)], -1)


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    A, B = _same_batch(A, B)
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


def pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None):
    if rcond is None:
        rcond = rtol
    u, s, vh = svd(A, False)
    cutoff = (max(A.size(-2), A.size(-1)) * torch.finfo(A.dtype).eps if rcond is None else rcond) * s.amax(-1, keepdim=True)
    if atol is not None:
        cutoff = torch.clamp_min(cutoff, atol)
    kept = s > cutoff
    inverse = torch.where(kept, 1 / torch.where(kept, s, 1.0), 0.0)
    return _nn.renamed(vh.mT @ (inverse.unsqueeze(-1) * u.mT), "LinalgPinvBackward0")


def matrix_rank(A, *, tol=None):
    s = svdvals(A)
    limit = max(A.size(-2), A.size(-1)) * torch.finfo(A.dtype).eps * s.amax(-1, keepdim=True) if tol is None else tol
    return (s > limit).sum(-1)


def cond(A, p=None):
    if p is None or p == 2 or p == -2:
        s = svdvals(A)
        return s[..., 0] / s[..., -1] if p != -2 else s[..., -1] / s[..., 0]
    return matrix_norm(A, p) * matrix_norm(inv(A), p)


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
