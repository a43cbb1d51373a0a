"""Elements in other places."""
import torch
from torch import _nn


def fliplr(input):
    if input.dim() < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return input.flip(1)


def flipud(input):
    if input.dim() < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return input.flip(0)


def diagflat(input, offset=0):
    return input.contiguous().view(-1).diag(offset)


def diff(input, n=1, dim=-1, prepend=None, append=None):
    if input.dim() == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    parts = [t for t in (prepend, input, append) if t is not None]
    x = parts[0] if len(parts) == 1 else torch.cat(parts, dim)
    n = min(n, x.size(dim))
    for _ in range(n):
        length = x.size(dim)
        later, earlier = x.narrow(dim, 1, length - 1), x.narrow(dim, 0, length - 1)
        x = torch.logical_xor(later, earlier) if x.dtype == torch.bool else later - earlier
    return x


def take_along_dim(input, indices, dim=None):
    if indices.dtype != torch.int64:
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got {_scalar_name(indices.dtype)}")
    if dim is None:
        return input.reshape(-1).gather(0, indices.reshape(-1))
    if input.dim() != indices.dim():
        raise RuntimeError(f"torch.take_along_dim(): input and indices should have the same number of dimensions, but got {input.dim()} dimensions for input, and {indices.dim()} dimensions for indices")
    dim = dim % input.dim()
    own, wanted = list(input.shape), list(indices.shape)
    own[dim] = wanted[dim]
    both = list(torch.broadcast_shapes(own, wanted))
    wanted = list(both)
    wanted[dim] = indices.size(dim)
    both[dim] = input.size(dim)
    return input.expand(both).gather(dim, indices.expand(wanted))


def _scalar_name(dtype):
    names = {torch.float32: "Float", torch.float64: "Double", torch.int64: "Long", torch.int32: "Int", torch.int16: "Short", torch.int8: "Char",
             torch.uint8: "Byte", torch.bool: "Bool", torch.float16: "Half", torch.bfloat16: "BFloat16"}
    return names[dtype]


def combinations(input, r=2, with_replacement=False):
    if input.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return input.new_empty((0,))
    n = input.size(0)
    chosen = [[i] for i in range(n)]
    for _ in range(r - 1):
        longer = []
        for c in chosen:
            for i in range(c[-1] if with_replacement else c[-1] + 1, n):
                longer.append(c + [i])
        chosen = longer
    if len(chosen) == 0:
        return input.new_empty((0, r))
    return input[torch.tensor(chosen)]


def unravel_index(indices, shape):
    if isinstance(shape, int):
        shape = (shape,)
    result = []
    rest = indices
    for size in reversed(shape):
        result.insert(0, rest % size)
        rest = torch.div(rest, size, rounding_mode="floor")
    return tuple(result)


def hsplit(input, indices_or_sections):
    if input.dim() < 1:
        raise RuntimeError(f"torch.hsplit requires a tensor with at least 1 dimension, but got a tensor with {input.dim()} dimensions!")
    return input.tensor_split(indices_or_sections, 0 if input.dim() == 1 else 1)


def vsplit(input, indices_or_sections):
    if input.dim() < 2:
        raise RuntimeError(f"torch.vsplit requires a tensor with at least 2 dimension, but got a tensor with {input.dim()} dimensions!")
    return input.tensor_split(indices_or_sections, 0)


def dsplit(input, indices_or_sections):
    if input.dim() < 3:
        raise RuntimeError(f"torch.dsplit requires a tensor with at least 3 dimension, but got a tensor with {input.dim()} dimensions!")
    return input.tensor_split(indices_or_sections, 2)


def unsafe_chunk(input, chunks, dim=0):
    return tuple([_nn.renamed(c.clone(), "UnsafeSplitBackward0") for c in input.chunk(chunks, dim)])


def unsafe_split(input, split_size, dim=0):
    return tuple([_nn.renamed(c.clone(), "UnsafeSplitBackward0") for c in input.split(split_size, dim)])


def split_with_sizes(input, split_sizes, dim=0):
    return input.split(split_sizes, dim)


def narrow_copy(input, dim, start, length):
    return _nn.renamed(input.narrow(dim, start, length), "NarrowCopyBackward0")


def t_copy(input):
    return _nn.renamed(input.t().contiguous(), "TBackward0_copy")


def permute_copy(input, dims):
    return _nn.renamed(input.permute(dims).contiguous(), "PermuteBackward0_copy")


def transpose_copy(input, dim0, dim1):
    return _nn.renamed(input.transpose(dim0, dim1).contiguous(), "TransposeBackward0_copy")


def expand_copy(input, size):
    return _nn.renamed(input.expand(size).contiguous(), "ExpandBackward0_copy")


def select_copy(input, dim, index):
    return _nn.renamed(input.select(dim, index), "SelectBackward0_copy")


def squeeze_copy(input, dim=None):
    seen = input.squeeze() if dim is None else input.squeeze(dim)
    return _nn.renamed(seen, "SqueezeBackward0_copy" if dim is None else "SqueezeBackward1_copy")


def unsqueeze_copy(input, dim):
    return _nn.renamed(input.unsqueeze(dim), "UnsqueezeBackward0_copy")


def view_copy(input, size):
    return _nn.renamed(input.reshape(size), "ViewBackward0_copy")


def detach_copy(input):
    return input.detach().clone()


def as_strided_scatter(input, src, size, stride, storage_offset=None):
    result = input.clone()
    result.as_strided(size, stride, storage_offset).copy_(src)
    return result


def put(input, index, source, accumulate=False):
    if index.dtype != torch.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {_scalar_name(index.dtype)}")
    if input.dtype != source.dtype:
        raise RuntimeError(f"put_(): self and source expected to have the same dtype, but got self.dtype = {_scalar_name(input.dtype)} and source.dtype = {_scalar_name(source.dtype)}")
    if index.numel() != source.numel():
        raise IndexError(f"put_(): Expected source and index to have the same number of elements, but got source.numel() = {source.numel()}, index.numel() = {index.numel()}")
    flat = input.reshape(-1).index_put((index.reshape(-1),), source.reshape(-1), accumulate)
    return _nn.renamed(flat.view(input.shape), "PutBackward0")


def adjoint(input):
    return input.transpose(-2, -1)


def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    import warnings
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    warnings.warn("index_reduce() is in beta and the API may change at any time.")
    dim = dim % input.dim()
    shape = [1] * input.dim()
    shape[dim] = index.numel()
    places = index.to(torch.int64).view(shape).expand(source.shape)
    return _nn.renamed(input.scatter_reduce(dim, places, source, reduce, include_self=include_self), "IndexReduceBackward0")
