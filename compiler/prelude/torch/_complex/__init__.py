"""Complex tensors: a real tensor whose last axis holds the real and the imaginary part, behind the methods of a tensor.

A view of a complex tensor is a view of that real tensor, so writes through it, `.real` and `.imag` reach the same memory, and gradients with
respect to the parts are PyTorch's gradients of complex tensors as they are."""
import torch
from torch import _nn


def _kind(value):
    return "ComplexDouble" if value.dtype == torch.complex128 else "ComplexFloat"


class Tensor:
    __stands_for__ = torch.Tensor

    def __init__(self, pairs, conjugated=False):
        self._pairs = pairs
        self._conjugated = conjugated

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        for other in types:
            if other is not cls:
                return NotImplemented
        return torch._complex.functions.call(func, args, {} if kwargs is None else kwargs)

    @property
    def __class__(self):
        return torch.Tensor

    def __getattr__(self, name):
        if torch._complex.functions.has(name):
            return lambda *args, **kwargs: torch._complex.functions.call_named(name, (self,) + args, kwargs)
        if name[:2] != "__" and hasattr(torch.Tensor, name):
            raise NotImplementedError(f"not supported: Tensor.{name} of a complex tensor")
        raise AttributeError(f"'Tensor' object has no attribute '{name}'")

    # ------------------------------------------------------------------------------------------- parts

    @property
    def real(self):
        return self._pairs.select(-1, 0)

    @real.setter
    def real(self, value):
        self._pairs.select(-1, 0).copy_(torch.as_tensor(value))

    @property
    def imag(self):
        part = self._pairs.select(-1, 1)
        return -part if self._conjugated else part

    @imag.setter
    def imag(self, value):
        part = torch.as_tensor(value)
        self._pairs.select(-1, 1).copy_(-part if self._conjugated else part)

    def _resolved(self):
        """The parts as they are, with a conjugation that was put off."""
        return torch.stack([self.real, self.imag], -1) if self._conjugated else self._pairs

    # -------------------------------------------------------------------------------------- information

    @property
    def dtype(self):
        return torch.complex128 if self._pairs.dtype == torch.float64 else torch.complex64

    @property
    def shape(self):
        return torch.Size(self._pairs.shape[:-1])

    @property
    def ndim(self):
        return self._pairs.dim() - 1

    @property
    def device(self):
        return self._pairs.device

    @property
    def layout(self):
        return torch.strided

    @property
    def is_sparse(self):
        return False

    @property
    def is_cuda(self):
        return self._pairs.is_cuda

    @property
    def itemsize(self):
        return 2 * self._pairs.itemsize

    @property
    def nbytes(self):
        return self._pairs.nbytes

    @property
    def _version(self):
        return self._pairs._version

    def dim(self):
        return self._pairs.dim() - 1

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[_axis(self, dim)]

    def stride(self, dim=None):
        strides = tuple(s // 2 for s in self._pairs.stride()[:-1])
        return strides if dim is None else strides[_axis(self, dim)]

    def storage_offset(self):
        return self._pairs.storage_offset() // 2

    def numel(self):
        return self._pairs.numel() // 2

    def nelement(self):
        return self.numel()

    def ndimension(self):
        return self.dim()

    def data_ptr(self):
        return self._pairs.data_ptr()

    def element_size(self):
        return 2 * self._pairs.element_size()

    def is_complex(self):
        return True

    def is_floating_point(self):
        return False

    def is_signed(self):
        return True

    def is_conj(self):
        return self._conjugated

    def is_neg(self):
        return False

    def is_contiguous(self):
        return self._pairs.is_contiguous()

    def type(self, dtype=None):
        return f"torch.{_kind(self)}Tensor" if dtype is None else self.to(dtype)

    # ---------------------------------------------------------------------------------------- autograd

    @property
    def requires_grad(self):
        return self._pairs.requires_grad

    @requires_grad.setter
    def requires_grad(self, value):
        self._pairs.requires_grad = value

    @property
    def is_leaf(self):
        return self._pairs.is_leaf

    @property
    def grad_fn(self):
        return self._pairs.grad_fn

    @property
    def grad(self):
        return None if self._pairs.grad is None else Tensor(self._pairs.grad)

    @grad.setter
    def grad(self, value):
        self._pairs.grad = None if value is None else value._resolved()

    @property
    def data(self):
        return Tensor(self._pairs.data, self._conjugated)

    def requires_grad_(self, requires_grad=True):
        self._pairs.requires_grad_(requires_grad)
        return self

    def retain_grad(self):
        self._pairs.retain_grad()

    def detach(self):
        return Tensor(self._pairs.detach(), self._conjugated)

    def register_hook(self, hook):
        def on_pairs(grad):
            result = hook(Tensor(grad))
            return None if result is None else result._resolved()
        return self._pairs.register_hook(on_pairs)

    def backward(self, gradient=None, retain_graph=None, create_graph=False):
        if gradient is None:
            if self.requires_grad and self.numel() == 1:
                raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {self.dtype}")
            if self.requires_grad:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            return self._pairs.select(-1, 0).backward(None, retain_graph, create_graph)
        self._pairs.backward(torch._complex.functions.as_complex(gradient, self.dtype)._resolved(), retain_graph, create_graph)

    # ------------------------------------------------------------------------------------------ Python

    def item(self):
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return complex(self.real.item(), self.imag.item())

    def tolist(self):
        return [part.tolist() for part in self] if self.dim() > 0 else self.item()

    def _real_item(self, to):
        if self.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if self.imag.item() != 0:
            raise RuntimeError(f"value cannot be converted to type {to} without overflow")
        return self.real.item()

    def __float__(self):
        return float(self._real_item("double"))

    def __int__(self):
        return int(self._real_item("int64_t"))

    def __complex__(self):
        if self.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self.item()

    def __bool__(self):
        if self.numel() != 1:
            what = "no values" if self.numel() == 0 else "more than one value"
            raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
        return (self != 0).item()

    def __len__(self):
        if self.dim() == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self):
        if self.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __hash__(self):
        return id(self)

    def __contains__(self, value):
        return (self == value).any().item()

    def __repr__(self):
        suffix = "requires_grad=True" if self.requires_grad else ""
        if self._pairs.grad_fn is not None:
            suffix = f"grad_fn=<{self._pairs.grad_fn.name()}>"
        return _nn.complex_text(self._resolved().detach().contiguous(), suffix)

    def __format__(self, spec):
        if self.dim() == 0:
            return format(self.item(), spec)
        if spec != "":
            raise TypeError("unsupported format string passed to Tensor.__format__")
        return repr(self)

    def __getitem__(self, index):
        if _is_full_mask(self, index):
            return torch._complex.functions.call_named("masked_select", (self, index), {})
        return Tensor(self._pairs[_pairs_index(self, index)], self._conjugated)

    def __setitem__(self, index, value):
        functions = torch._complex.functions
        source = functions.as_complex(value, self.dtype)
        if _is_full_mask(self, index) and source.dim() == 0:
            self.masked_fill_(index, source)
            return
        self._pairs[_pairs_index(self, index)] = (source.conj() if self._conjugated else source)._resolved()

    def __add__(self, other): return self.add(other)
    def __radd__(self, other): return self.add(other)
    def __sub__(self, other): return self.sub(other)
    def __rsub__(self, other): return torch._complex.functions.call_named("rsub", (self, other), {})
    def __mul__(self, other): return self.mul(other)
    def __rmul__(self, other): return self.mul(other)
    def __truediv__(self, other): return self.div(other)
    def __rtruediv__(self, other): return self.reciprocal().mul(other)
    def __floordiv__(self, other): return self.floor_divide(other)
    def __mod__(self, other): return self.remainder(other)
    def __pow__(self, other): return self.pow(other)
    def __rpow__(self, other): return torch.pow(other, self)
    def __matmul__(self, other): return self.matmul(other)
    def __rmatmul__(self, other): return torch.matmul(other, self)
    def __iadd__(self, other): return self.add_(other)
    def __isub__(self, other): return self.sub_(other)
    def __imul__(self, other): return self.mul_(other)
    def __itruediv__(self, other): return self.div_(other)
    def __ipow__(self, other): return self.pow_(other)
    def __neg__(self): return self.neg()
    def __pos__(self): return self
    def __abs__(self): return self.abs()
    def __invert__(self): raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    def __and__(self, other): return self.bitwise_and(other)
    def __or__(self, other): return self.bitwise_or(other)
    def __xor__(self, other): return self.bitwise_xor(other)
    def __eq__(self, other): return False if other is None else self.eq(other)
    def __ne__(self, other): return True if other is None else self.ne(other)
    def __lt__(self, other): return self.lt(other)
    def __le__(self, other): return self.le(other)
    def __gt__(self, other): return self.gt(other)
    def __ge__(self, other): return self.ge(other)

    @property
    def T(self):
        return self.permute(list(range(self.dim() - 1, -1, -1)))

    @property
    def mT(self):
        if self.dim() < 2:
            raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {self.dim()}-D tensor.")
        return self.transpose(-2, -1)

    @property
    def mH(self):
        return self.adjoint()

    @property
    def H(self):
        if self.dim() not in (0, 2):
            hint = " For batches of matrices, consider using tensor.mH" if self.dim() > 2 else ""
            raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {self.dim()}-D tensor.{hint}")
        return self.conj() if self.dim() == 0 else self.adjoint()


def _axis(z, dim):
    rank = max(z.dim(), 1)
    if dim < -rank or dim >= rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    return dim % rank


def _is_full_mask(z, index):
    return isinstance(index, torch.Tensor) and index.dtype == torch.bool and index.shape == z.shape and z.dim() > 0


def _pairs_index(z, index):
    """The same index for the pairs: behind an ellipsis, the axis of the parts has to be written."""
    items = index if isinstance(index, tuple) else (index,)
    taken = 0
    ellipsis = False
    for item in items:
        if item is Ellipsis:
            ellipsis = True
        elif isinstance(item, torch.Tensor) and item.dtype in (torch.bool, torch.uint8):
            taken += item.dim()
        elif item is not None and not isinstance(item, bool):
            taken += 1
    if taken > z.dim():
        raise IndexError(f"too many indices for tensor of dimension {z.dim()}")
    return items + (slice(None),) if ellipsis else index
