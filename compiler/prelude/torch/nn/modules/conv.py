"""Convolutions."""
import math
import torch
from torch.nn import functional as F, init
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


def _spread(value, n):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * n


class _ConvNd(Module):
    _modes = ("zeros", "reflect", "replicate", "circular")

    def __init__(self, axes, transposed, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, output_padding, device, dtype):
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _spread(kernel_size, axes)
        self.stride = _spread(stride, axes)
        self.padding = padding if isinstance(padding, str) else _spread(padding, axes)
        self.dilation = _spread(dilation, axes)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
            if padding == "same" and any([s != 1 for s in self.stride]):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in self._modes:
            raise ValueError(f"padding_mode must be one of {set(self._modes)}, but got padding_mode='{padding_mode}'")
        self.transposed = transposed
        self.output_padding = _spread(output_padding, axes)
        self.groups = groups
        self.padding_mode = padding_mode
        if transposed:
            shape = (in_channels, out_channels // groups) + self.kernel_size
        else:
            shape = (out_channels, in_channels // groups) + self.kernel_size
        self.weight = Parameter(torch.empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if isinstance(self.padding, str) or any([p != 0 for p in self.padding]):
            text += f", padding={self.padding}"
        if any([d != 1 for d in self.dilation]):
            text += f", dilation={self.dilation}"
        if any([p != 0 for p in self.output_padding]):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text

    def _sides(self):
        """The padding as F.pad takes it: the last axis first."""
        sides = []
        for d in reversed(range(len(self.kernel_size))):
            if self.padding == "valid":
                sides += [0, 0]
            elif self.padding == "same":
                total = self.dilation[d] * (self.kernel_size[d] - 1)
                sides += [total // 2, total - total // 2]
            else:
                sides += [self.padding[d], self.padding[d]]
        return sides

    def _conv_forward(self, input, weight, bias):
        function = (F.conv1d, F.conv2d, F.conv3d)[len(self.kernel_size) - 1]
        if self.padding_mode != "zeros":
            return function(F.pad(input, self._sides(), mode=self.padding_mode), weight, bias, self.stride, 0, self.dilation, self.groups)
        return function(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)


class Conv1d(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        super().__init__(1, False, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, 0, device, dtype)

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)


class Conv2d(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        super().__init__(2, False, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, 0, device, dtype)

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)


class Conv3d(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        super().__init__(3, False, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, 0, device, dtype)

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)


class _ConvTransposeNd(_ConvNd):
    def __init__(self, axes, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device, dtype):
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(axes, True, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, output_padding, device, dtype)

    def _output_padding(self, input, output_size):
        if output_size is None:
            return self.output_padding
        axes = len(self.kernel_size)
        lead = 2 if input.dim() == axes + 2 else 1
        if len(output_size) == lead + axes:
            output_size = output_size[lead:]
        if len(output_size) != axes:
            raise ValueError(f"ConvTranspose{axes}D: for {input.dim()}D input, output_size must have {axes} or {lead + axes} elements (got {len(output_size)})")
        least = [(input.size(d + lead) - 1) * self.stride[d] - 2 * self.padding[d] + self.dilation[d] * (self.kernel_size[d] - 1) + 1 for d in range(axes)]
        most = [least[d] + self.stride[d] - 1 for d in range(axes)]
        for d in range(axes):
            if output_size[d] < least[d] or output_size[d] > most[d]:
                raise ValueError(f"requested an output size of {output_size}, but valid sizes range from {least} to {most} (for an input of {input.size()[2:]})")
        return [output_size[d] - least[d] for d in range(axes)]

    def forward(self, input, output_size=None):
        function = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[len(self.kernel_size) - 1]
        return function(input, self.weight, self.bias, self.stride, self.padding, self._output_padding(input, output_size), self.groups, self.dilation)


class ConvTranspose1d(_ConvTransposeNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__(1, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device, dtype)


class ConvTranspose2d(_ConvTransposeNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__(2, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device, dtype)


class ConvTranspose3d(_ConvTransposeNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__(3, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device, dtype)
