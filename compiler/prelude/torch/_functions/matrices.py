"""Products and equations."""
import torch
from torch import _nn


def kron(input, other):
    rank = max(input.dim(), other.dim())
    a = [1] * (rank - input.dim()) + list(input.shape)
    b = [1] * (rank - other.dim()) + list(other.shape)
    left, right = [], []
    for i in range(rank):
        left += [a[i], 1]
        right += [1, b[i]]
    result = input.reshape(left) * other.reshape(right)
    return _nn.renamed(result.reshape([m * n for m, n in zip(a, b)]), "UnsafeViewBackward0")


def cross(input, other, dim=None):
    if dim is None:
        import warnings
        warnings.warn("Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a future release.")
        found = [d for d in range(input.dim()) if input.size(d) == 3]
        if len(found) == 0:
            raise RuntimeError("no dimension of size 3 in input")
        dim = found[0]
    return _nn.linalg_cross(input, other, dim=dim)


def inner(input, other):
    if input.dim() == 0 or other.dim() == 0:
        return input * other
    if input.size(-1) != other.size(-1):
        raise RuntimeError(f"inner() the last dimension must match on both input tensors but got shapes {list(input.shape)} and {list(other.shape)}")
    product = torch.mm(input.reshape(-1, input.size(-1)), other.reshape(-1, other.size(-1)).t())
    return product.view(list(input.shape)[:-1] + list(other.shape)[:-1])


def vdot(input, other):
    return _nn.renamed(torch.dot(input, other), "VdotBackward0")


def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    product = torch.bmm(batch1, batch2).sum(0)
    result = product * alpha if alpha != 1 else product
    if beta != 0:
        result = (input * beta if beta != 1 else input) + result
    return _nn.renamed(result, "AddbmmBackward0")


def chain_matmul(*matrices):
    import warnings
    warnings.warn("torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple parameters.")
    result = matrices[0]
    for m in matrices[1:]:
        result = result @ m
    return result


def logdet(input):
    sign, logabsdet = _nn.linalg_slogdet(input)
    return torch.where(sign.detach() == -1.0, float("nan"), logabsdet)


def matrix_exp(input):
    return _nn.linalg_matrix_exp(input)


def matrix_power(input, n):
    return torch.linalg.matrix_power(input, n)


def pinverse(input, rcond=1e-15):
    return torch.linalg.pinv(input, rcond)


def cholesky_solve(input, L, upper=False):
    if upper:
        middle = _nn.linalg_solve_triangular(L.mT, input, upper=False)
        result = _nn.linalg_solve_triangular(L, middle, upper=True)
    else:
        middle = _nn.linalg_solve_triangular(L, input, upper=False)
        result = _nn.linalg_solve_triangular(L.mT, middle, upper=True)
    return _nn.renamed(result, "CholeskySolveBackward0")


def cholesky_inverse(L, upper=False):
    eye = torch.eye(L.size(-1), dtype=L.dtype).expand(L.shape)
    inverse = _nn.linalg_solve_triangular(L, eye, upper=upper)
    return _nn.renamed(inverse @ inverse.mT if upper else inverse.mT @ inverse, "CholeskyInverseBackward0")


def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    a = A.mT if transpose else A
    import warnings
    warnings.warn("torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = torch.linalg.solve_triangular(A, B).")
    solution = _nn.linalg_solve_triangular(a, b, upper=upper != transpose, unitriangular=unitriangular)
    return _nn.return_type("triangular_solve", _nn.renamed(solution, "TriangularSolveBackward0"), A.clone())


def lu_solve(b, LU_data, LU_pivots):
    return torch.linalg.lu_solve(LU_data, LU_pivots, b)


def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    m, n = LU_data.size(-2), LU_data.size(-1)
    k = min(m, n)
    lower = LU_data[..., :, :k].tril(-1) + torch.eye(m, k, dtype=LU_data.dtype)
    upper = LU_data[..., :k, :].triu()
    # Row swaps, the last one first, turn the identity into P.
    permutation = torch.eye(m, dtype=LU_data.dtype).expand(list(LU_data.shape)[:-2] + [m, m]).clone()
    for i in reversed(range(k)):
        other = (LU_pivots[..., i].long() - 1).view(list(LU_pivots.shape)[:-1] + [1, 1]).expand(list(LU_data.shape)[:-2] + [1, m])
        held = permutation[..., i:i + 1, :].clone()
        moved = permutation.gather(-2, other)
        permutation[..., i:i + 1, :] = moved
        permutation = permutation.scatter(-2, other, held)
    return _nn.return_type("lu_unpack", permutation, lower, upper)


def svd(input, some=True, compute_uv=True):
    u, s, vh = _nn.linalg_svd(input, not some)
    return _nn.return_type("svd", u, s, vh.mT)


def frobenius_norm(input, dim=None, keepdim=False):
    return input.norm(2) if dim is None else input.norm(2, dim, keepdim)


def vander(x, N=None, increasing=False):
    n = x.size(0) if N is None else N
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    columns = [torch.ones_like(x, dtype=torch.int64 if not x.is_floating_point() else x.dtype)]
    for _ in range(n - 1):
        columns.append(columns[-1] * x)
    result = torch.stack(columns[:n], 1) if n > 0 else x.new_empty((x.size(0), 0))
    return result if increasing else result.flip(1)


def pdist(input, p=2.0):
    n = input.size(0)
    first, second = [], []
    for i in range(n):
        for j in range(i + 1, n):
            first.append(i)
            second.append(j)
    if len(first) == 0:
        return input.new_zeros((0,))
    gaps = input.index_select(0, torch.tensor(first)) - input.index_select(0, torch.tensor(second))
    return _nn.renamed(gaps.norm(p, -1), "PdistBackward0")
