"""torch.sparse_coo_tensor, and sparse tensors of dense ones."""
import torch
from torch import _nn
from torch._sparse import Tensor
from torch._sparse.functions import _rows_of, _select, coalesce, empty, known_positions

_state = {"warned": False, "checked": None}


def _as_rows(indices):
    if isinstance(indices, torch.Tensor):
        return indices.to(torch.int64)
    rows = torch.tensor(indices)
    return rows.to(torch.int64)


def sparse_coo_tensor(indices=None, values=None, size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False, check_invariants=None, is_coalesced=None):
    checked = _state["checked"] if check_invariants is None else check_invariants
    if values is None:
        sizes = size if indices is None else indices
        return empty(sizes, dtype)
    if checked is None and not _state["warned"]:
        import warnings
        warnings.warn("Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur when operating on a sparse tensor which violates the invariants, but checks incur performance overhead. To silence this warning, explicitly opt in or out. See `torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance.")
        _state["warned"] = True
    rows = _as_rows(indices)
    if rows.dim() == 1:
        rows = rows.unsqueeze(1)
        indices = rows if isinstance(indices, torch.Tensor) else [[i] for i in indices]
    if rows.dim() != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(rows.shape)}")
    entries = values if isinstance(values, torch.Tensor) else torch.tensor(values)
    if dtype is not None:
        entries = entries.to(dtype)
    if entries.dim() == 0:
        entries = entries.unsqueeze(0)
    sparse_dim, count = rows.size(0), rows.size(1)
    positions = known_positions(rows, indices)
    if size is None:
        if positions is None:
            raise NotImplementedError("not supported: the size of a sparse tensor whose indices are known only at run time")
        for p in positions:
            for d in range(sparse_dim):
                if p[d] < 0:
                    raise RuntimeError(f"found negative index {p[d]} for dim {d}")
        size = [max([p[d] for p in positions]) + 1 if count > 0 else 0 for d in range(sparse_dim)] + list(entries.shape[1:])
    size = tuple(size)
    for s in size:
        if s < 0:
            raise RuntimeError("numel: integer multiplication overflow")
    if len(size) != sparse_dim + entries.dim() - 1:
        raise RuntimeError(f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = {sparse_dim}, dense_dim = {entries.dim() - 1}")
    if count != entries.size(0):
        raise RuntimeError(f"indices and values must have same nnz, but got nnz from indices: {count}, nnz from values: {entries.size(0)}")
    expected = [count] + list(size[sparse_dim:])
    if list(entries.shape) != expected:
        raise RuntimeError(f"values has incorrect size, expected {expected}, got {list(entries.shape)}")
    if checked:
        if positions is None:
            raise NotImplementedError("not supported: checking indices of a sparse tensor that are known only at run time")
        for d in range(sparse_dim):
            for p in positions:
                if p[d] < 0:
                    raise RuntimeError(f"found negative index {p[d]} for dim {d}")
            for p in positions:
                if p[d] >= size[d]:
                    raise RuntimeError(f"size is inconsistent with indices: for dim {d}, size is {size[d]} but found index {p[d]}")
    if requires_grad:
        entries = entries.detach().requires_grad_()
    elif entries.grad_fn is not None or (entries.requires_grad and torch.is_grad_enabled()):
        entries = _nn.renamed(entries, "SparseCooTensorWithDimsAndTensorsBackward0")
    return Tensor(rows, entries, size, positions, bool(is_coalesced))


def to_sparse(input, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
    if layout is not None and layout is not torch.sparse_coo:
        raise NotImplementedError(f"not supported: {layout}")
    numbers = _nn.known_numbers(input)
    if numbers is None:
        raise NotImplementedError("not supported: to_sparse() of a tensor whose elements are known only at run time")
    axes = input.dim() if sparse_dim is None else sparse_dim
    positions = _found(numbers, axes, ())
    rows = _rows_of(positions, axes)
    values = input[tuple([rows[d] for d in range(axes)])] if len(positions) > 0 else torch.zeros([0] + list(input.shape[axes:]), dtype=input.dtype)
    return Tensor(rows, values, input.shape, positions, True)


def _found(numbers, axes, before):
    """Where something other than zero is, in order."""
    if axes == 0:
        return [before] if _nonzero(numbers) else []
    positions = []
    for k, part in enumerate(numbers):
        positions += _found(part, axes - 1, before + (k,))
    return positions


def _nonzero(numbers):
    return any([_nonzero(n) for n in numbers]) if isinstance(numbers, list) else numbers != 0
