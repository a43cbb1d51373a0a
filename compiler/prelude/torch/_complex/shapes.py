"""Views, which are views of the pairs, and functions that only move elements, which move both parts."""
import torch
from torch._complex import Tensor, _axis
from torch._complex.elements import make


def _view(z, pairs):
    return Tensor(pairs, z._conjugated)


def _sizes(sizes):
    return list(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else list(sizes)


def reshape(input, *shape):
    sizes = _sizes(shape)
    count = 1
    for s in sizes:
        count *= s
    if -1 not in sizes and count != input.numel():
        raise RuntimeError(f"shape '{sizes}' is invalid for input of size {input.numel()}")
    return _view(input, input._pairs.reshape(sizes + [2]))


def view(input, *shape):
    if len(shape) == 1 and isinstance(shape[0], torch.dtype):
        if shape[0] == input._pairs.dtype:
            return input._resolved().flatten(-2)
        if shape[0] == input.dtype:
            return input
        raise NotImplementedError("not supported: a complex tensor seen as another dtype")
    sizes = _sizes(shape)
    count = 1
    for s in sizes:
        count *= s
    if -1 not in sizes and count != input.numel():
        raise RuntimeError(f"shape '{sizes}' is invalid for input of size {input.numel()}")
    return _view(input, input._pairs.view(sizes + [2]))


def view_as(input, other):
    return view(input, list(other.shape))


def reshape_as(input, other):
    return reshape(input, list(other.shape))


def flatten(input, start_dim=0, end_dim=-1):
    if input.dim() == 0:
        return _view(input, input._pairs.unsqueeze(0))
    return _view(input, input._pairs.flatten(_axis(input, start_dim), _axis(input, end_dim)))


def unflatten(input, dim, sizes):
    return _view(input, input._pairs.unflatten(_axis(input, dim), sizes))


def transpose(input, dim0, dim1):
    return _view(input, input._pairs.transpose(_axis(input, dim0), _axis(input, dim1)))


def t(input):
    if input.dim() > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.dim()}D")
    return transpose(input, 0, 1) if input.dim() == 2 else input


def permute(input, *dims):
    order = _sizes(dims)
    if len(order) != input.dim():
        raise RuntimeError(f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = {input.dim()} is not equal to len(dims) = {len(order)}")
    return _view(input, input._pairs.permute([_axis(input, d) for d in order] + [input.dim()]))


def movedim(input, source, destination):
    source = [_axis(input, d) for d in ([source] if isinstance(source, int) else source)]
    destination = [_axis(input, d) for d in ([destination] if isinstance(destination, int) else destination)]
    return _view(input, input._pairs.movedim(source, destination))


def adjoint(input):
    if input.dim() == 1:
        raise RuntimeError("adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return conj(transpose(input, -2, -1) if input.dim() > 1 else input)


def conj(input):
    return Tensor(input._pairs, not input._conjugated)


def resolve_conj(input):
    return Tensor(input._resolved())


def squeeze(input, dim=None):
    if dim is None:
        axes = [d for d in range(input.dim()) if input.shape[d] == 1]
    else:
        axes = [_axis(input, d) for d in ([dim] if isinstance(dim, int) else dim)]
    return _view(input, input._pairs.squeeze(tuple(axes))) if len(axes) > 0 and input.dim() > 0 else _view(input, input._pairs)


def unsqueeze(input, dim):
    rank = input.dim() + 1
    if dim < -rank or dim >= rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    return _view(input, input._pairs.unsqueeze(dim % rank))


def expand(input, *sizes):
    return _view(input, input._pairs.expand(_sizes(sizes) + [2]))


def expand_as(input, other):
    return expand(input, list(other.shape))


def broadcast_to(input, size):
    return expand(input, list(size))


def select(input, dim, index):
    return _view(input, input._pairs.select(_axis(input, dim), index))


def narrow(input, dim, start, length):
    return _view(input, input._pairs.narrow(_axis(input, dim), start, length))


def diagonal(input, offset=0, dim1=0, dim2=1):
    # The diagonal becomes the last axis: behind the parts, which go back to the end.
    return _view(input, input._pairs.diagonal(offset, _axis(input, dim1), _axis(input, dim2)).transpose(-2, -1))


def unbind(input, dim=0):
    return tuple(_view(input, p) for p in input._pairs.unbind(_axis(input, dim)))


def split(input, split_size_or_sections, dim=0):
    return tuple(_view(input, p) for p in input._pairs.split(split_size_or_sections, _axis(input, dim)))


def chunk(input, chunks, dim=0):
    return tuple(_view(input, p) for p in input._pairs.chunk(chunks, _axis(input, dim)))


def contiguous(input):
    return _view(input, input._pairs.contiguous())


def clone(input, *, memory_format=None):
    return Tensor(input._resolved().clone())


def detach(input):
    return input.detach()


def view_as_real(input):
    if not isinstance(input, Tensor):
        raise TypeError("view_as_real is only supported for complex tensors")
    if input._conjugated:
        raise RuntimeError("view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the original.")
    return input._pairs


views = {
    "reshape": reshape, "view": view, "view_as": view_as, "reshape_as": reshape_as, "flatten": flatten, "ravel": flatten, "unflatten": unflatten,
    "transpose": transpose, "swapaxes": transpose, "swapdims": transpose, "t": t, "permute": permute, "movedim": movedim, "moveaxis": movedim,
    "adjoint": adjoint, "conj": conj, "resolve_conj": resolve_conj, "squeeze": squeeze, "unsqueeze": unsqueeze, "expand": expand, "expand_as": expand_as,
    "broadcast_to": broadcast_to, "select": select, "narrow": narrow, "diagonal": diagonal, "unbind": unbind, "split": split, "chunk": chunk,
    "contiguous": contiguous, "clone": clone, "detach": detach, "view_as_real": view_as_real, "real": lambda input: input.real, "imag": lambda input: input.imag,
    "is_conj": lambda input: input.is_conj(), "is_neg": lambda input: False, "resolve_neg": lambda input: input,
}


# ----------------------------------------------------------------------------- both parts, in the same way

def _moved(name):
    def move(input, *args, **kwargs):
        function = getattr(torch, name)
        return make(function(input.real, *args, **kwargs), function(input.imag, *args, **kwargs))
    return move


def _both_parts(z):
    return (z.real, z.imag) if isinstance(z, Tensor) else (z, torch.zeros_like(z))


def _joined(name):
    def join(tensors, *args, **kwargs):
        function = getattr(torch, name)
        pairs = [_both_parts(z) for z in tensors]
        return make(function([p[0] for p in pairs], *args, **kwargs), function([p[1] for p in pairs], *args, **kwargs))
    return join


def broadcast_tensors(*tensors):
    sizes = torch.broadcast_shapes(*[tuple(z.shape) for z in tensors])
    return tuple(z.expand(list(sizes)) for z in tensors)


def where(condition, input=None, other=None):
    if isinstance(condition, Tensor):
        condition = condition != 0
    if input is None:
        return torch.where(condition)
    a, b = _where_parts(input), _where_parts(other)
    return make(torch.where(condition, a[0], b[0]), torch.where(condition, a[1], b[1]))


def _where_parts(value):
    if isinstance(value, Tensor):
        return value.real, value.imag
    if isinstance(value, complex):
        return value.real, value.imag
    return (value, torch.zeros_like(value)) if isinstance(value, torch.Tensor) else (float(value), 0.0)


def masked_fill(input, mask, value):
    if not isinstance(input, Tensor):
        raise RuntimeError("value cannot be converted to type float without overflow")
    return where(mask, value, input)


def masked_select(input, mask):
    return make(input.real[mask], input.imag[mask])


shapes = {
    "masked_select": masked_select,
    "broadcast_tensors": broadcast_tensors, "where": where, "masked_fill": masked_fill,
    "repeat": lambda input, *sizes: Tensor(input._resolved().repeat(_sizes(sizes) + [1])),
    "tile": lambda input, *sizes: Tensor(input._resolved().tile(_sizes(sizes) + [1])),
}
for _name in ("tril", "triu", "roll", "flip", "fliplr", "flipud", "rot90", "repeat_interleave", "diag", "diag_embed", "diagflat", "gather", "take", "index_select",
              "take_along_dim", "cumsum", "diff", "trace"):
    shapes[_name] = _moved(_name)
for _name in ("cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack", "column_stack", "row_stack", "block_diag"):
    shapes[_name] = _joined(_name)
