"""Sparse tensors of the coordinate format: the indices and the values, behind the methods of a tensor.

Which positions there are decides how many values are left when they are added up, so it has to be known while compiling: it is where the
indices are lists or literals. What needs it and does not have it is not supported."""
import torch
from torch import _nn

_names = {torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16", torch.int64: "Long", torch.int32: "Int",
          torch.int16: "Short", torch.int8: "Char", torch.uint8: "Byte", torch.bool: "Bool"}


class Tensor:
    __stands_for__ = torch.Tensor

    def __init__(self, indices, values, size, positions, coalesced=False):
        self._rows = indices
        self._entries = values
        self._sizes = tuple(size)
        self._positions = positions  # of each value, as a tuple; None where they are not known
        self._coalesced = coalesced

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        for other in types:
            if other is not cls:
                return NotImplemented
        return torch._sparse.functions.call(func.__name__, args, {} if kwargs is None else kwargs)

    @property
    def __class__(self):
        return torch.Tensor

    def __getattr__(self, name):
        if torch._sparse.functions.has(name):
            return lambda *args, **kwargs: torch._sparse.functions.call(name, (self,) + args, kwargs)
        if name[:2] != "__" and hasattr(torch.Tensor, name):
            raise NotImplementedError(f"not supported: Tensor.{name} of a sparse tensor")
        raise AttributeError(f"'Tensor' object has no attribute '{name}'")

    @property
    def dtype(self):
        return self._entries.dtype

    @property
    def shape(self):
        return torch.Size(self._sizes)

    @property
    def ndim(self):
        return len(self._sizes)

    @property
    def device(self):
        return self._entries.device

    @property
    def layout(self):
        return torch.sparse_coo

    @property
    def is_sparse(self):
        return True

    @property
    def is_sparse_csr(self):
        return False

    @property
    def is_cuda(self):
        return False

    @property
    def requires_grad(self):
        return self._entries.requires_grad

    @requires_grad.setter
    def requires_grad(self, value):
        self._entries.requires_grad = value

    @property
    def is_leaf(self):
        return self._entries.is_leaf

    @property
    def grad_fn(self):
        return self._entries.grad_fn

    @property
    def grad(self):
        return None if self._entries.grad is None else Tensor(self._rows, self._entries.grad, self._sizes, self._positions, self._coalesced)

    @property
    def T(self):
        return self.t()

    def dim(self):
        return len(self._sizes)

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def numel(self):
        count = 1
        for s in self._sizes:
            count *= s
        return count

    def is_complex(self):
        return False

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def stride(self):
        return (0,) * self.dim()

    def storage_offset(self):
        return 0

    def is_contiguous(self):
        return False

    def is_coalesced(self):
        return self._coalesced

    def sparse_dim(self):
        return self._rows.size(0)

    def dense_dim(self):
        return self._entries.dim() - 1

    def _nnz(self):
        return self._entries.size(0)

    def _indices(self):
        return self._rows

    def _values(self):
        return self._entries

    def indices(self):
        if not self._coalesced:
            raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
        return self._rows

    def values(self):
        if not self._coalesced:
            raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
        return self._entries

    def type(self, dtype=None):
        return f"torch.sparse.{_names[self.dtype]}Tensor" if dtype is None else self.to(dtype)

    def requires_grad_(self, requires_grad=True):
        self._entries.requires_grad_(requires_grad)
        return self

    def item(self):
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self.to_dense().item()

    def tolist(self):
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def data_ptr(self):
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def __float__(self):
        if self.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return float(self.item())

    def __bool__(self):
        if self.numel() != 1:
            what = "no values" if self.numel() == 0 else "more than one value"
            raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
        return bool(self.item())

    def __len__(self):
        return self._sizes[0]

    def __hash__(self):
        return id(self)

    def __iter__(self):
        return iter([self[k] for k in range(self._sizes[0])])

    def __repr__(self):
        if self._nnz() == 0:
            indices = f"tensor([], size={tuple(self._rows.shape)})"
            values = f"tensor([], size={tuple(self._entries.shape)})"
        else:
            indices = _nn.plain_text(self._rows.detach())
            values = _nn.plain_text(self._entries.detach())
        suffixes = [f"size={self._sizes}", f"nnz={self._nnz()}"]
        if self.dtype not in (torch.get_default_dtype(), torch.int64, torch.bool):
            suffixes.append(f"dtype={self.dtype}")
        suffixes.append("layout=torch.sparse_coo")
        if self.grad_fn is not None:
            suffixes.append(f"grad_fn=<{self.grad_fn.name()}>")
        elif self.requires_grad:
            suffixes.append("requires_grad=True")
        text = ""
        line = 1000
        for suffix in suffixes:
            if line + len(suffix) + 2 > 80:
                text += ",\n       " + suffix
                line = 7 + len(suffix)
            else:
                text += ", " + suffix
                line += len(suffix) + 2
        indices = indices.replace("\n", "\n" + " " * 15)
        values = values.replace("\n", "\n" + " " * 14)
        return f"tensor(indices={indices},\n       values={values}{text})"

    def __format__(self, spec):
        if spec != "":
            raise TypeError("unsupported format string passed to Tensor.__format__")
        return repr(self)

    def __add__(self, other): return self.add(other)
    def __radd__(self, other): return torch._sparse.functions.call("add", (other, self), {})
    def __sub__(self, other): return self.sub(other)
    def __mul__(self, other): return self.mul(other)
    def __rmul__(self, other): return self.mul(other)
    def __truediv__(self, other): return self.div(other)
    def __pow__(self, other): return self.pow(other)
    def __matmul__(self, other): return self.matmul(other)
    def __rmatmul__(self, other): return torch._sparse.functions.call("matmul", (other, self), {})
    def __neg__(self): return self.neg()
    def __iadd__(self, other): return self.add_(other)
    def __isub__(self, other): return self.sub_(other)
    def __imul__(self, other): return self.mul_(other)
    def __itruediv__(self, other): return self.div_(other)
    def __getitem__(self, index): return torch._sparse.functions.call("__getitem__", (self, index), {})
    def __setitem__(self, index, value): raise NotImplementedError("not supported: writing into a sparse tensor")
    def __eq__(self, other): return False if other is None else self.eq(other)
    def __ne__(self, other): return True if other is None else self.ne(other)
