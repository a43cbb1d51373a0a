"""What is done when a function of torch has a sparse tensor among its arguments."""
import torch
from torch import _nn
from torch._sparse import Tensor, _names


def known_positions(rows, data):
    """The columns of the indices as tuples; None where they are not known. `data`: what the script gave."""
    lists = data if isinstance(data, (list, tuple)) else _nn.known_numbers(data)
    if lists is None:
        return None
    for row in lists:
        for i in row:
            if isinstance(i, torch.Tensor):
                return None
    return [tuple([int(row[k]) for row in lists]) for k in range(rows.size(1))]


def _rows_of(positions, sparse_dim):
    if len(positions) == 0:
        return torch.zeros(sparse_dim, 0, dtype=torch.int64)
    return torch.tensor([[p[d] for p in positions] for d in range(sparse_dim)])


def _need(s, what):
    if s._positions is None:
        raise NotImplementedError(f"not supported: {what} of a sparse tensor whose indices are known only at run time")
    return s._positions


def _select(values, order):
    if order == list(range(values.size(0))):
        return values
    return values.index_select(0, torch.tensor(order, dtype=torch.int64))


def _named(node, s):
    if s._entries.grad_fn is not None:
        s._entries = _nn.renamed(s._entries, node)
    return s


def _with_values(s, values, coalesced):
    return Tensor(s._rows, values, s._sizes, s._positions, coalesced)


def coalesce(s):
    if s._coalesced:
        return s
    positions = _need(s, "coalesce()")
    order = sorted(set(positions))
    if order == positions:
        return _named("CoalesceBackward0", _with_values(s, s._entries.clone(), True))
    place = {p: k for k, p in enumerate(order)}
    target = torch.tensor([place[p] for p in positions], dtype=torch.int64)
    values = torch.zeros([len(order)] + list(s._entries.shape[1:]), dtype=s.dtype).index_add(0, target, s._entries)
    return _named("CoalesceBackward0", Tensor(_rows_of(order, s.sparse_dim()), values, s._sizes, order, True))


def to_dense(s, dtype=None, *, masked_grad=None):
    if not isinstance(s, Tensor):
        return s
    dense = torch.zeros(s._sizes, dtype=s.dtype)
    if s._nnz() > 0:
        dense = dense.index_put(tuple([s._rows[d] for d in range(s.sparse_dim())]), s._entries, accumulate=True)
        if dense.grad_fn is not None:
            dense = _nn.renamed(dense, "ToDenseBackward0")
    return dense if dtype is None else dense.to(dtype)


# --------------------------------------------------------------------------------------------- arithmetic

def _merged(a, b, alpha):
    """PyTorch's walk through both lists of positions: where they stand at the same one, there is one value."""
    pa, pb = _need(a, "a sum"), _need(b, "a sum")
    i, j = 0, 0
    positions, left, right = [], [], []
    while i < len(pa) or j < len(pb):
        take_a = j >= len(pb) or (i < len(pa) and pa[i] <= pb[j])
        take_b = i >= len(pa) or (j < len(pb) and pb[j] <= pa[i])
        positions.append(pa[i] if take_a else pb[j])
        left.append(i if take_a else len(pa))
        right.append(j if take_b else len(pb))
        if take_a:
            i += 1
        if take_b:
            j += 1
    def padded(values, order, count):
        if count in order:
            values = torch.cat([values, torch.zeros([1] + list(values.shape[1:]), dtype=values.dtype)])
        return _select(values, order)
    first = padded(a._entries, left, len(pa))
    second = padded(b._entries, right, len(pb))
    values = first + second if alpha == 1 else first + second * alpha
    return Tensor(_rows_of(positions, a.sparse_dim()), values, a._sizes, positions, a._coalesced and b._coalesced)


def add(input, other, *, alpha=1):
    if not isinstance(input, Tensor):
        return torch.add(input, to_dense(other), alpha=alpha)
    if not isinstance(other, Tensor):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if input._sizes != other._sizes:
        raise RuntimeError(f"add: expected 'self' and 'other' to have same size, but {list(input._sizes)} vs {list(other._sizes)}")
    return _named("AddBackward0", _merged(input, other, alpha))


def sub(input, other, *, alpha=1):
    if not isinstance(input, Tensor):
        return torch.sub(input, to_dense(other), alpha=alpha)
    if not isinstance(other, Tensor):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    return _named("SubBackward0", add(input, other, alpha=-alpha))


def _at(dense, s):
    return dense.expand(s._sizes)[tuple([s._rows[d] for d in range(s.sparse_dim())])]


def mul(input, other):
    if not isinstance(input, Tensor):
        return mul(other, input)
    if isinstance(other, Tensor):
        if input._sizes != other._sizes:
            raise RuntimeError(f"mul operands have incompatible sizes")
        a, b = coalesce(input), coalesce(other)
        place = {p: k for k, p in enumerate(b._positions)}
        both = [p for p in a._positions if p in place]
        mine = {p: k for k, p in enumerate(a._positions)}
        values = _select(a._entries, [mine[p] for p in both]) * _select(b._entries, [place[p] for p in both])
        return _named("MulBackward0", Tensor(_rows_of(both, a.sparse_dim()), values, a._sizes, both, True))
    if isinstance(other, torch.Tensor) and other.dim() > 0:
        return _named("MulBackward0", _with_values(input, input._entries * _at(other, input), input._coalesced))
    return _named("MulBackward0", _with_values(input, input._entries * other, input._coalesced))


def div(input, other, *, rounding_mode=None):
    if isinstance(other, torch.Tensor) and other.dim() > 0:
        raise RuntimeError(f"Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {list(other.shape)} for divisor)")
    values = input._entries / other if rounding_mode is None else torch.div(input._entries, other, rounding_mode=rounding_mode)
    return _named("DivBackward0", _with_values(input, values, input._coalesced))


def pow(input, exponent):
    return _named("PowBackward0", _with_values(coalesce(input), torch.pow(coalesce(input)._entries, exponent), True))


def _of_values(name):
    function = getattr(torch, name)
    def apply(input):
        c = coalesce(input)
        return _named(name.capitalize() + "Backward0", _with_values(c, function(c._entries), True))
    return apply


# ----------------------------------------------------------------------------------------------- products

def _product(s, dense):
    if s.dim() != 2:
        raise NotImplementedError("not supported: a product of a sparse tensor that is no matrix")
    if s._sizes[1] != dense.size(0):
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({s._sizes[0]}x{s._sizes[1]} and {dense.size(0)}x{dense.size(1)})")
    if s.dtype != dense.dtype:
        raise RuntimeError(f"addmm: Expected 'self' and 'mat2' to have same dtype, but got {_names[s.dtype]} and {_names[dense.dtype]}")
    rows = s._entries.unsqueeze(1) * dense.index_select(0, s._rows[1])
    return torch.zeros(s._sizes[0], dense.size(1), dtype=s.dtype).index_add(0, s._rows[0], rows)


def _sparse_product(a, b):
    if a._sizes[1] != b._sizes[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a._sizes[0]}x{a._sizes[1]} and {b._sizes[0]}x{b._sizes[1]})")
    a, b = coalesce(a), coalesce(b)
    left, right, where = [], [], []
    for i, p in enumerate(a._positions):
        for j, q in enumerate(b._positions):
            if p[1] == q[0]:
                left.append(i)
                right.append(j)
                where.append((p[0], q[1]))
    order = sorted(set(where))
    place = {p: k for k, p in enumerate(order)}
    target = torch.tensor([place[p] for p in where], dtype=torch.int64)
    values = torch.zeros(len(order), dtype=a.dtype).index_add(0, target, _select(a._entries, left) * _select(b._entries, right))
    return Tensor(_rows_of(order, 2), values, (a._sizes[0], b._sizes[1]), order, True)


def _dense_named(node, result):
    return _nn.renamed(result, node) if not isinstance(result, Tensor) and result.grad_fn is not None else result


def mm(input, mat2, node="MmBackward0"):
    if isinstance(input, Tensor) and isinstance(mat2, Tensor):
        return _sparse_product(input, mat2)
    if isinstance(input, Tensor):
        return _dense_named(node, _product(input, mat2))
    return _dense_named(node, _product(t(mat2), input.t()).t())


def matmul(input, other):
    if not isinstance(other, Tensor) and other.dim() == 1:
        return mm(input, other.unsqueeze(1), "MvBackward0").squeeze(1)
    if not isinstance(input, Tensor) and input.dim() == 1:
        return mm(input.unsqueeze(0), other).squeeze(0)
    return mm(input, other)


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    return _dense_named("AddmmBackward0", torch.mul(input, beta) + mm(mat1, mat2) * alpha)


# --------------------------------------------------------------------------------------- shapes and sums

def transpose(input, dim0, dim1):
    a, b = dim0 % input.dim(), dim1 % input.dim()
    if a >= input.sparse_dim() or b >= input.sparse_dim():
        raise NotImplementedError("not supported: transposing a dense axis of a sparse tensor")
    def swapped(items):
        items = list(items)
        items[a], items[b] = items[b], items[a]
        return items
    order = swapped(range(input.sparse_dim()))
    rows = torch.stack([input._rows[d] for d in order])
    positions = None if input._positions is None else [tuple(swapped(p)) for p in input._positions]
    return Tensor(rows, input._entries, swapped(input._sizes), positions, False)


def t(input):
    if input.dim() > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.dim()}D")
    return transpose(input, 0, 1) if input.dim() == 2 else input


def unsqueeze(input, dim):
    at = dim % (input.dim() + 1)
    if at > input.sparse_dim():
        raise NotImplementedError("not supported: a new dense axis of a sparse tensor")
    rows = torch.cat([input._rows[:at], torch.zeros(1, input._nnz(), dtype=torch.int64), input._rows[at:]])
    positions = None if input._positions is None else [p[:at] + (0,) + p[at:] for p in input._positions]
    return Tensor(rows, input._entries, input._sizes[:at] + (1,) + input._sizes[at:], positions, input._coalesced)


def sum_(input, dim=None, *, dtype=None):
    values = input._entries if dtype is None else input._entries.to(dtype)
    if dim is None:
        return values.sum()
    axes = [d % input.dim() for d in ([dim] if isinstance(dim, int) else dim)]
    for d in axes:
        if d >= input.sparse_dim():
            raise NotImplementedError("not supported: the sum of a sparse tensor along a dense axis")
    kept = [d for d in range(input.sparse_dim()) if d not in axes]
    if len(kept) == 0:
        return values.sum(0)
    positions = [tuple([p[d] for d in kept]) for p in _need(input, "a sum")]
    sizes = [s for d, s in enumerate(input._sizes) if d not in axes]
    return coalesce(Tensor(_rows_of(positions, len(kept)), values, sizes, positions, False))


def getitem(input, index):
    items = index if isinstance(index, tuple) else (index,)
    result = input
    for item in items:
        if not isinstance(item, int) or isinstance(item, bool):
            raise NotImplementedError("not supported: an index of a sparse tensor that is no int")
        if result.sparse_dim() == 1 and len(items) >= input.sparse_dim():
            return to_dense(result)[item]
        size = result._sizes[0]
        if item < -size or item >= size:
            raise IndexError(f"select(): index {item} out of range for tensor of size {list(result._sizes)} at dimension 0")
        positions = _need(result, "an index")
        found = [k for k, p in enumerate(positions) if p[0] == item % size]
        if result.sparse_dim() == 1:
            return to_dense(result)[item]
        rest = [positions[k][1:] for k in found]
        result = Tensor(_rows_of(rest, result.sparse_dim() - 1), _select(result._entries, found), result._sizes[1:], rest, result._coalesced)
    return result


def cat(tensors, dim=0):
    for s in tensors:
        if not isinstance(s, Tensor):
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {list(tensors).index(s)}.")
    axis = dim % tensors[0].dim()
    if axis >= tensors[0].sparse_dim():
        raise NotImplementedError("not supported: cat of sparse tensors along a dense axis")
    rows, values, positions, offset = [], [], [], 0
    for s in tensors:
        moved = [s._rows[d] + offset if d == axis else s._rows[d] for d in range(s.sparse_dim())]
        rows.append(torch.stack(moved))
        values.append(s._entries)
        positions += [p[:axis] + (p[axis] + offset,) + p[axis + 1:] for p in _need(s, "cat")]
        offset += s._sizes[axis]
    sizes = list(tensors[0]._sizes)
    sizes[axis] = offset
    return Tensor(torch.cat(rows, 1), torch.cat(values), sizes, positions, False)


def clone(input, *, memory_format=None):
    return _named("CloneBackward0", _with_values(input, input._entries.clone(), input._coalesced))


def detach(input):
    return _with_values(input, input._entries.detach(), input._coalesced)


def to(input, *args, **kwargs):
    if len(args) > 0 and args[0] is torch.sparse_coo or not isinstance(input, Tensor):
        raise NotImplementedError("not supported: to() a layout")
    return _with_values(input, input._entries.to(*args, **kwargs), input._coalesced)


def _converted(dtype):
    return lambda input: _with_values(input, input._entries.to(dtype), input._coalesced)


def norm(input, p=2):
    return torch.linalg.vector_norm(coalesce(input)._entries, p)


def softmax(input, dim, dtype=None):
    c = coalesce(input)
    if c.dense_dim() > 0:
        raise NotImplementedError("not supported: softmax of a sparse tensor with dense axes")
    axis = dim % c.dim()
    lines = [p[:axis] + p[axis + 1:] for p in c._positions]
    result = []
    for k, line in enumerate(lines):
        group = _select(c._entries, [i for i, other in enumerate(lines) if other == line])
        result.append(torch.exp(c._entries[k] - torch.logsumexp(group, 0)))
    return _with_values(c, torch.stack(result), True)


def sparse_mask(input, mask):
    if isinstance(input, Tensor):
        input = to_dense(input)
    values = input[tuple([mask._rows[d] for d in range(mask.sparse_dim())])]
    return _named("SparseMaskBackward0", _with_values(mask, values, mask._coalesced))


def zeros_like(input, *, dtype=None, **kwargs):
    return empty(input._sizes, input.dtype if dtype is None else dtype)


def empty(sizes, dtype=None):
    return Tensor(torch.zeros(len(sizes), 0, dtype=torch.int64), torch.zeros(0, dtype=dtype), sizes, [], len(sizes) < 0)


def _sized(*sizes, dtype=None, layout=None, **kwargs):
    if layout is not torch.sparse_coo:
        raise NotImplementedError(f"not supported: {layout}")
    return empty(sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes, dtype)


# ------------------------------------------------------------------------------------------------- writes

def _take_over(target, source):
    target._rows = source._rows
    target._entries = source._entries if source._entries.dtype == target._entries.dtype else source._entries.to(target._entries.dtype)
    target._positions = source._positions
    target._coalesced = source._coalesced
    return target


def zero_(input):
    return _take_over(input, Tensor(torch.zeros(input.sparse_dim(), 0, dtype=torch.int64), torch.zeros([0] + list(input._entries.shape[1:]), dtype=input.dtype), input._sizes, [], False))


def add_(input, other, *, alpha=1):
    return input.add_(to_dense(other), alpha=alpha) if not isinstance(input, Tensor) else _take_over(input, add(input, other, alpha=alpha))


def copy_(input, src):
    if not isinstance(input, Tensor) or not isinstance(src, Tensor):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented! Found self type = " + f"torch.{'sparse.' if isinstance(input, Tensor) else ''}{_names[input.dtype]}Tensor and src type = torch.{'sparse.' if isinstance(src, Tensor) else ''}{_names[src.dtype]}Tensor")
    return _take_over(input, src)


_table = {
    "coalesce": coalesce, "to_dense": to_dense, "to_sparse": lambda input, *args, **kwargs: input, "add": add, "sub": sub, "subtract": sub, "mul": mul,
    "multiply": mul, "div": div, "divide": div, "true_divide": div, "pow": pow, "mm": mm, "matmul": matmul, "mv": matmul, "addmm": addmm, "transpose": transpose, "t": t,
    "unsqueeze": unsqueeze, "sum": sum_, "__getitem__": getitem, "cat": cat, "clone": clone, "detach": detach, "to": to, "float": _converted(torch.float32),
    "double": _converted(torch.float64), "int": _converted(torch.int32), "long": _converted(torch.int64), "half": _converted(torch.float16),
    "bool": _converted(torch.bool), "norm": norm, "softmax": softmax, "sparse_mask": sparse_mask, "zeros_like": zeros_like, "empty_like": zeros_like,
    "zeros": _sized, "empty": _sized, "zero_": zero_, "add_": add_, "copy_": copy_, "sub_": lambda input, other, alpha=1: _take_over(input, sub(input, other, alpha=alpha)),
    "mul_": lambda input, other: _take_over(input, mul(input, other)), "div_": lambda input, other: _take_over(input, div(input, other)),
    "neg_": lambda input: _take_over(input, neg(input)), "any": lambda input: input._entries.any(), "square": lambda input: pow(input, 2),
    "cpu": lambda input: input, "is_coalesced": lambda input: input.is_coalesced(), "numel": lambda input: input.numel(),
    "is_floating_point": lambda input: input.is_floating_point(), "is_complex": lambda input: False,
}
for _name in ("abs", "neg", "sqrt", "relu", "sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "expm1", "log1p", "floor", "ceil", "round", "trunc",
              "sign", "sgn", "erf", "isnan", "isinf"):
    _table[_name] = _of_values(_name)
neg = _table["neg"]
_table["absolute"] = _table["abs"]
_table["negative"] = neg
_errors = {"reshape": "reshape is not implemented for sparse tensors", "crow_indices": "crow_indices expected sparse row compressed tensor layout but got Sparse",
           "col_indices": "col_indices expected sparse row compressed tensor layout but got Sparse"}


def has(name):
    return name in _table or name in _errors


def call(name, args, kwargs):
    if name in _errors:
        raise RuntimeError(_errors[name])
    if name not in _table:
        raise NotImplementedError(f"not supported: {name} of sparse tensors")
    return _table[name](*args, **kwargs)
