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
    if A.dim() < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    if driver is not None and driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    if A.dtype not in (torch.float32, torch.float64):
        raise RuntimeError("This function doesn't handle types other than float and double")
    vector = _is_vector(A, B)
    b = B.unsqueeze(-1) if vector else B
    if A.size(-2) != b.size(-2):
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
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
    values = svdvals(A.detach()) if driver in ("gelsd", "gelss") else torch.empty(0, dtype=A.dtype)
    return _nn.return_type("linalg_lstsq", solution, residuals, rank, values)


def matrix_exp(A):
    return _nn.linalg_matrix_exp(A)


def tensorinv(A, ind=2):
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    front, back = list(A.shape)[:ind], list(A.shape)[ind:]
    size = own = 1
    for s in back:
        size *= s
    for s in front:
        own *= s
    if size != own:
        raise RuntimeError(f"Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {size} != {own}")
    return inv(A.reshape(-1, size)).reshape(back + front)


def tensorsolve(A, B, dims=None):
    if dims is not None:
        A = A.movedim(dims, tuple(range(A.dim() - len(dims), A.dim())))
    rest = list(A.shape)[B.dim():]
    size = 1
    for s in rest:
        size *= s
    if size != B.numel():
        raise RuntimeError(f"Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but got {size} != {B.numel()}")
    return solve(A.reshape(-1, size), B.reshape(-1)).reshape(rest)


def vander(x, *, N=None):
    n = x.size(-1) if N is None else N
    ones = torch.ones_like(x).unsqueeze(-1)
    return torch.cat([ones, x.unsqueeze(-1).expand(list(x.shape) + [n - 1]).cumprod(-1)], -1)


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    A, B = _same_batch(A, B)
    return _nn.linalg_solve_triangular(A, B, upper=upper, left=left, unitriangular=unitriangular)


def qr(A, mode="reduced"):
    if mode == "r":
        return _nn.return_type("linalg_qr", torch.empty(0, dtype=A.dtype), _nn.linalg_qr(A, "reduced")[1])
    return _nn.linalg_qr(A, mode)


def eigh(A, UPLO="L"):
    return _nn.linalg_eigh(A, UPLO.upper() if UPLO in ("l", "u") else UPLO)


def eigvalsh(A, UPLO="L"):
    return eigh(A, UPLO)[0]


def svd(A, full_matrices=True, *, driver=None):
    if driver is not None:
        raise RuntimeError("torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.")
    return _nn.linalg_svd(A, full_matrices)


def svdvals(A, *, driver=None):
    return svd(A, False)[1]


def _size_text(A):
    return "[" + ", ".join([str(s) for s in A.shape]) + "]"


def pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None):
    if A.dim() < 2 or A.dtype not in (torch.float32, torch.float64):
        raise RuntimeError(f"linalg.pinv({_scalar_name(A.dtype)}{{{_size_text(A)}}}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types")
    if rcond is None:
        rcond = rtol
    u, s, vh = svd(A, False)
    cutoff = (max(A.size(-2), A.size(-1)) * torch.finfo(A.dtype).eps if rcond is None else rcond) * s.amax(-1, keepdim=True)
    if atol is not None:
        cutoff = torch.clamp_min(cutoff, atol)
    kept = s > cutoff
    inverse = torch.where(kept, 1 / torch.where(kept, s, 1.0), 0.0)
    return _nn.renamed(vh.mT @ (inverse.unsqueeze(-1) * u.mT), "LinalgPinvBackward0")


def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None):
    if A.dtype not in (torch.float32, torch.float64):
        raise RuntimeError("This function doesn't handle types other than float and double")
    s = eigvalsh(A).abs() if hermitian else svdvals(A)
    if tol is not None:
        atol, rtol = tol, 0.0
    if rtol is None:
        rtol = max(A.size(-2), A.size(-1)) * torch.finfo(A.dtype).eps if atol is None else 0.0
    limit = rtol * s.amax(-1, keepdim=True)
    if atol is not None:
        limit = torch.maximum(limit, torch.as_tensor(atol, dtype=A.dtype))
    return (s > limit).sum(-1)


def cond(A, p=None):
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise ValueError(f"linalg.cond got an invalid norm type: {p}")
    if p is None or p == 2 or p == -2:
        s = svdvals(A)
        return s[..., 0] / s[..., -1] if p != -2 else s[..., -1] / s[..., 0]
    # Of a singular matrix it is infinite.
    singular = det(A.detach()) == 0
    eye = torch.eye(A.size(-1), dtype=A.dtype)
    safe = torch.where(singular.unsqueeze(-1).unsqueeze(-1), eye, A)
    return torch.where(singular, float("inf"), matrix_norm(A, p) * matrix_norm(inv(safe), p))


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    if x.numel() == 0 and (ord < 0 or ord == float("inf")):
        dims = list(range(x.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
        if dim is None or len(dims) == x.dim():
            raise RuntimeError(f"linalg.vector_norm cannot compute the {ord:g} norm on an empty tensor because the operation does not have an identity")
        for d in dims:
            if x.size(d) == 0:
                raise RuntimeError(f"linalg.vector_norm cannot compute the {ord:g} norm on the dimension {d}because this dimension is empty and the operation does not have an identity")
    return _nn.linalg_vector_norm(x, ord, dim, keepdim, dtype=dtype)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    if A.dim() < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if not A.is_floating_point():
        raise NotImplementedError(f"linalg.matrix_norm: Expected a floating point or complex tensor as input. Got {_scalar_name(A.dtype)}")
    if isinstance(ord, str):
        if ord not in ("fro", "nuc"):
            raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    elif abs(ord) not in (1, 2, float("inf")):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord:g} not supported.")
    if isinstance(dim, int) or len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {dim if isinstance(dim, int) else ' '.join([str(d) for d in dim])}")
    if dim[0] % A.dim() == dim[1] % A.dim():
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    if dtype is not None:
        A = A.to(dtype)
    if ord == "fro":
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    rows, columns = dim[0] % A.dim(), dim[1] % A.dim()
    if ord == 1 or ord == -1:
        rows, columns = columns, rows
    if ord in (1, -1, float("inf"), float("-inf")):
        sums = A.abs().sum(columns, keepdim=True)
        result = sums.amax(rows, keepdim=True) if ord > 0 else sums.amin(rows, keepdim=True)
        return result if keepdim else result.squeeze((rows, columns))
    s = svdvals(A.movedim((rows, columns), (-2, -1)))
    result = s.sum(-1) if ord == "nuc" else s.amax(-1) if ord == 2 else s.amin(-1)
    if not keepdim:
        return result
    for d in sorted((rows, columns)):
        result = result.unsqueeze(d)
    return result


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    if isinstance(dim, list):
        dim = tuple(dim)
    if ord is not None and dim is None and A.dim() > 2:
        raise RuntimeError(f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.dim()}D.")
    if ord is not None and isinstance(dim, tuple) and len(dim) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    if isinstance(ord, str) and (dim is None or isinstance(dim, int)) and A.dim() != 2:
        return matrix_norm(A, ord, (-2, -1), keepdim, dtype=dtype)
    if ord is not None and (isinstance(dim, tuple) and len(dim) == 2 or dim is None and A.dim() == 2):
        return matrix_norm(A, ord, (0, 1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


def _check_square(A, name):
    if A.dim() < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if A.size(-2) != A.size(-1):
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {A.size(-2)} by {A.size(-1)} matrices")


def matrix_power(A, n):
    _check_square(A, "linalg.matrix_power")
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
    tensors = list(tensors)
    count = len(tensors)
    if count < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {count}")
    for name, end in (("first", tensors[0]), ("last", tensors[-1])):
        if end.dim() not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {name} tensor must be 1D or 2D but got {end.dim()}D")
    for i in range(1, count - 1):
        if tensors[i].dim() != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {tensors[i].dim()}D")
    for i in range(count - 1):
        a, b = tensors[i], tensors[i + 1]
        if a.size(-1) != b.size(0):
            raise RuntimeError(f"multi_dot(): tensors {i} and {i + 1} with shapes {_size_text(a)} and {_size_text(b)} cannot be multiplied")
    result = tensors[0]
    for t in tensors[1:]:
        result = result @ t
    return result


_scalar_names = {torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16", torch.int64: "Long", torch.int32: "Int",
                 torch.int16: "Short", torch.int8: "Char", torch.uint8: "Byte", torch.bool: "Bool"}


def _scalar_name(dtype):
    return _scalar_names[dtype]


def cross(input, other, *, dim=-1):
    return _nn.linalg_cross(input, other, dim=dim)


def householder_product(A, tau):
    m, n = A.size(-2), A.size(-1)
    result = torch.eye(m, n, dtype=A.dtype)
    for i in reversed(range(tau.size(-1))):
        v = torch.cat([torch.zeros(i, dtype=A.dtype), torch.ones(1, dtype=A.dtype), A[i + 1:, i]])
        result = result - tau[i] * torch.outer(v, v @ result)
    return result


def vecdot(x, y, *, dim=-1):
    return (x * y).sum(dim)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    return torch.diagonal(A, offset, dim1, dim2)


def matmul(input, other):
    return torch.matmul(input, other)
