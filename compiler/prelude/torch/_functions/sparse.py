"""Sparse tensors: how they are made, and what dense ones answer."""
import torch


def sparse_coo_tensor(indices=None, values=None, size=None, **keywords):
    return torch._sparse.creation.sparse_coo_tensor(indices, values, size, **keywords)


def to_sparse(input, *args, **keywords):
    return torch._sparse.creation.to_sparse(input, *args, **keywords)


def to_dense(input, dtype=None, *, masked_grad=None):
    return input if dtype is None else input.to(dtype)


def sparse_dim(input):
    return 0


def dense_dim(input):
    return input.dim()


def values(input):
    raise RuntimeError("values expected sparse tensor layout but got Strided")


def indices(input):
    raise RuntimeError("indices expected sparse coordinate tensor layout but got Strided")


def coalesce(input):
    raise RuntimeError("coalesce expected sparse coordinate tensor layout but got Strided")


def is_coalesced(input):
    raise RuntimeError("is_coalesced expected sparse coordinate tensor layout but got Strided")


def sparse_mask(input, mask):
    return torch._sparse.functions.sparse_mask(input, mask)
