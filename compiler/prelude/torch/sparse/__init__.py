"""Functions of sparse tensors."""
import torch
from torch._sparse import functions
from torch._sparse.creation import _state


def mm(mat1, mat2):
    if mat1.is_sparse or mat2.is_sparse:
        return functions.mm(mat1, mat2, "SparseAddmmBackward0")
    return torch.mm(mat1, mat2)


def addmm(mat, mat1, mat2, *, beta=1.0, alpha=1.0):
    return functions.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def sum(input, dim=None, dtype=None):
    return functions.sum_(input, dim, dtype=dtype)


def softmax(input, dim, *, dtype=None):
    return functions.softmax(input, dim, dtype)


class check_sparse_tensor_invariants:
    """Whether new sparse tensors are checked: for good, or inside of `with`."""

    def __init__(self, enable=True):
        self.state = enable
        self.saved = None

    @staticmethod
    def is_enabled():
        return bool(_state["checked"])

    @staticmethod
    def enable():
        _state["checked"] = True

    @staticmethod
    def disable():
        _state["checked"] = False

    def __enter__(self):
        self.saved = _state["checked"]
        _state["checked"] = self.state

    def __exit__(self, type, value, traceback):
        _state["checked"] = self.saved
