"""Padding as modules: one class for each mode and number of axes."""
from torch.nn import functional as F
from torch.nn.modules.module import Module


def _sides(padding, axes):
    return tuple(padding) if isinstance(padding, (tuple, list)) else (padding,) * (2 * axes)


class _PadNd(Module):
    def __init__(self, padding):
        super().__init__()
        self.padding = _sides(padding, self._axes)

    def forward(self, input):
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    _mode = "circular"

    def forward(self, input):
        if input.dim() not in (self._axes + 1, self._axes + 2):
            raise ValueError(f"expected {self._axes + 1}D or {self._axes + 2}D input (got {input.dim()}D input)")
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    _axes = 1


class CircularPad2d(_CircularPadNd):
    _axes = 2


class CircularPad3d(_CircularPadNd):
    _axes = 3


class _ReflectionPadNd(_PadNd):
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    _axes = 1


class ReflectionPad2d(_ReflectionPadNd):
    _axes = 2


class ReflectionPad3d(_ReflectionPadNd):
    _axes = 3


class _ReplicationPadNd(_PadNd):
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    _axes = 1


class ReplicationPad2d(_ReplicationPadNd):
    _axes = 2


class ReplicationPad3d(_ReplicationPadNd):
    _axes = 3


class _ConstantPadNd(Module):
    def __init__(self, padding, value):
        super().__init__()
        self.value = value
        self.padding = _sides(padding, self._axes)

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    _axes = 1


class ConstantPad2d(_ConstantPadNd):
    _axes = 2


class ConstantPad3d(_ConstantPadNd):
    _axes = 3


class ZeroPad1d(ConstantPad1d):
    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"
