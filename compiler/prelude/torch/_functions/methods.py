"""The methods of tensors among these functions, and methods without a function."""
import torch
from torch._functions.matrices import (addbmm, cholesky_inverse, cholesky_solve, cross, inner, kron, logdet, lu_solve, matrix_exp, matrix_power, pinverse,
                                       svd, triangular_solve, vdot)
from torch._functions.numbers import (angle, conj, conj_physical, float_power, frexp, gcd, is_conj, is_neg, isreal, lcm, ldexp, mvlgamma, positive, resolve_conj,
                                      resolve_neg)
from torch._functions.shapes import (adjoint, as_strided_scatter, diagflat, diff, dsplit, fliplr, flipud, hsplit, narrow_copy, put, split_with_sizes,
                                     take_along_dim, unsafe_chunk, unsafe_split, vsplit)
from torch._functions.sparse import coalesce, dense_dim, indices, is_coalesced, sparse_dim, sparse_mask, to_dense, to_sparse, values
from torch._functions.statistics import corrcoef, cov, dist, msort, nanmean, nanmedian, nanquantile, quantile, renorm


def _in_place(function):
    return lambda self, *args, **keywords: self.copy_(function(self, *args, **keywords))


addbmm_ = _in_place(addbmm)
float_power_ = _in_place(float_power)
gcd_ = _in_place(gcd)
lcm_ = _in_place(lcm)
ldexp_ = _in_place(ldexp)
mvlgamma_ = _in_place(mvlgamma)
renorm_ = _in_place(renorm)


def put_(self, index, source, accumulate=False):
    if not isinstance(source, torch.Tensor):
        raise TypeError(f"put_(): argument 'source' (position 2) must be Tensor, not {type(source).__name__}")
    if self.dtype != source.dtype or index.dtype != torch.int64 or index.numel() != source.numel() or not self.is_contiguous():
        return self.copy_(put(self, index, source, accumulate))
    self.view(-1).index_put_((index.reshape(-1),), source.reshape(-1), accumulate)
    return self


def index_reduce(self, dim, index, source, reduce, *, include_self=True):
    return torch.index_reduce(self, dim, index, source, reduce, include_self=include_self)


index_reduce_ = _in_place(index_reduce)


def fill_diagonal_(self, fill_value, wrap=False):
    if self.dim() < 2:
        raise RuntimeError("dimensions must larger than 1")
    step = 0
    for d in range(self.dim()):
        step += self.stride(d)
    if self.dim() > 2:
        for s in self.shape:
            if s != self.size(0):
                raise RuntimeError("all dimensions of input must be of equal length")
    self.as_strided((min(self.shape),), (step,)).fill_(fill_value)
    if wrap and self.dim() == 2 and self.size(0) > self.size(1) + 1:
        width = self.size(1)
        count = (self.numel() + width) // (width + 1)
        rest = count - width
        if rest > 0:
            self.as_strided((rest,), (step,), step * (width) + self.storage_offset()).fill_(fill_value)
    return self


def cfloat(self):
    return self.to(torch.complex64)


def cdouble(self):
    return self.to(torch.complex128)


def conj_physical_(self):
    return self


def logical_xor_(self, other):
    return self.copy_(torch.logical_xor(self, other))


def lu(self, pivot=True, get_infos=False):
    factor = torch.linalg.lu_factor(self)
    return factor[0], factor[1]
