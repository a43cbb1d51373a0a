"""Convolutions, pools and padding, over the rows that have windows."""
import torch
from torch import _nn


def _tuple(v, n):
    return tuple(v) if isinstance(v, (tuple, list)) and len(v) == n else (v[0] if isinstance(v, (tuple, list)) else v,) * n


# ---- convolutions

def _conv(n, input, weight, bias, stride, padding, dilation, groups):
    stride, dilation = _tuple(stride, n), _tuple(dilation, n)
    if isinstance(padding, str):
        if padding not in ("valid", "same"):
            raise RuntimeError("Invalid padding string: '" + padding + "'")
        if padding == "valid":
            padding = 0
        else:
            if stride != (1,) * n:
                raise RuntimeError("padding='same' is not supported for strided convolutions")
            totals = [dilation[d] * (weight.size(2 + d) - 1) for d in range(n)]
            padding = [t // 2 for t in totals]
            # An odd total: one more at the end.
            extra = []
            for t in reversed(totals):
                extra += [0, t % 2]
            if max(extra) > 0:
                input = pad(input, extra)
    function = (_nn.conv1d, _nn.conv2d, _nn.conv3d)[n - 1]
    return function(input, weight, bias, stride, _tuple(padding, n), dilation, groups)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _conv(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _conv(2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _conv(3, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return _nn.conv_transpose1d(input, weight, bias, _tuple(stride, 1), _tuple(padding, 1), _tuple(output_padding, 1), groups, _tuple(dilation, 1))


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return _nn.conv_transpose2d(input, weight, bias, _tuple(stride, 2), _tuple(padding, 2), _tuple(output_padding, 2), groups, _tuple(dilation, 2))


def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return _nn.conv_transpose3d(input, weight, bias, _tuple(stride, 3), _tuple(padding, 3), _tuple(output_padding, 3), groups, _tuple(dilation, 3))


# ---- pools

def _max_pool(n, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
    stride = kernel_size if stride is None else stride
    plain, indexed = ((_nn.max_pool1d, _nn.max_pool1d_with_indices), (_nn.max_pool2d, _nn.max_pool2d_with_indices),
                      (_nn.max_pool3d, _nn.max_pool3d_with_indices))[n - 1]
    arguments = (input, _tuple(kernel_size, n), _tuple(stride, n), _tuple(padding, n), _tuple(dilation, n), ceil_mode)
    if return_indices:
        both = indexed(*arguments)
        return both[0], both[1]
    return plain(*arguments)


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return _max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return _max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return _max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool1d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return _max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return _max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return _max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode, True)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    stride = kernel_size if stride is None else stride
    return _nn.avg_pool1d(input, _tuple(kernel_size, 1), _tuple(stride, 1), _tuple(padding, 1), ceil_mode, count_include_pad)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    stride = kernel_size if stride is None else stride
    return _nn.avg_pool2d(input, _tuple(kernel_size, 2), _tuple(stride, 2), _tuple(padding, 2), ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    stride = kernel_size if stride is None else stride
    return _nn.avg_pool3d(input, _tuple(kernel_size, 3), _tuple(stride, 3), _tuple(padding, 3), ceil_mode, count_include_pad, divisor_override)


def _adaptive_size(input, output_size, n):
    """None stands for the input's own size."""
    sizes = _tuple(output_size, n)
    return tuple([input.size(input.dim() - n + d) if sizes[d] is None else sizes[d] for d in range(n)])


def adaptive_avg_pool1d(input, output_size):
    return _nn.adaptive_avg_pool1d(input, _adaptive_size(input, output_size, 1))


def adaptive_avg_pool2d(input, output_size):
    sizes = _adaptive_size(input, output_size, 2)
    return input.mean((-1, -2), keepdim=True) if sizes == (1, 1) else _nn.adaptive_avg_pool2d(input, sizes)


def adaptive_avg_pool3d(input, output_size):
    sizes = _adaptive_size(input, output_size, 3)
    return input.mean((-1, -2, -3), keepdim=True) if sizes == (1, 1, 1) else _nn.adaptive_avg_pool3d(input, sizes)


def _adaptive_max_pool(function, n, input, output_size, return_indices):
    both = function(input, _adaptive_size(input, output_size, n))
    return (both[0], both[1]) if return_indices else both[0]


def adaptive_max_pool1d(input, output_size, return_indices=False):
    return _adaptive_max_pool(_nn.adaptive_max_pool1d, 1, input, output_size, return_indices)


def adaptive_max_pool2d(input, output_size, return_indices=False):
    return _adaptive_max_pool(_nn.adaptive_max_pool2d, 2, input, output_size, return_indices)


def adaptive_max_pool3d(input, output_size, return_indices=False):
    return _adaptive_max_pool(_nn.adaptive_max_pool3d, 3, input, output_size, return_indices)


def adaptive_max_pool1d_with_indices(input, output_size, return_indices=False):
    return adaptive_max_pool1d(input, output_size, True)


def adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
    return adaptive_max_pool2d(input, output_size, True)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    out = avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (torch.sign(out) * torch.relu(torch.abs(out))).mul(_tuple(kernel_size, 1)[0]).pow(1.0 / norm_type)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    kw, kh = _tuple(kernel_size, 2)
    out = avg_pool2d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (torch.sign(out) * torch.relu(torch.abs(out))).mul(kw * kh).pow(1.0 / norm_type)


def _max_unpool(n, input, indices, kernel_size, stride, padding, output_size, node):
    kernel = _tuple(kernel_size, n)
    stride = kernel if stride is None else _tuple(stride, n)
    padding = _tuple(padding, n)
    lead = list(input.shape)[:-n]
    if output_size is None:
        wanted = [(input.size(input.dim() - n + d) - 1) * stride[d] - 2 * padding[d] + kernel[d] for d in range(n)]
    else:
        wanted = list(output_size)[-n:]
    places = 1
    for s in wanted:
        places *= s
    flat = torch.zeros(lead + [places], dtype=input.dtype)
    flat = flat.scatter(len(lead), indices.reshape(lead + [-1]), input.reshape(lead + [-1]))
    return _nn.renamed(flat.view(lead + wanted), node)


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    return _max_unpool(1, input, indices, kernel_size, stride, padding, output_size, "SqueezeBackward1")


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    return _max_unpool(2, input, indices, kernel_size, stride, padding, output_size, "MaxUnpool2DBackward0")


# ---- windows as columns

def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    arguments = (_tuple(kernel_size, 2), _tuple(dilation, 2), _tuple(padding, 2), _tuple(stride, 2))
    if input.dim() == 3:
        return _nn.im2col(input.unsqueeze(0), *arguments).squeeze(0)
    return _nn.im2col(input, *arguments)


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    arguments = (_tuple(output_size, 2), _tuple(kernel_size, 2), _tuple(dilation, 2), _tuple(padding, 2), _tuple(stride, 2))
    if input.dim() == 2:
        return _nn.col2im(input.unsqueeze(0), *arguments).squeeze(0)
    return _nn.col2im(input, *arguments)


# ---- padding

def pad(input, pad, mode="constant", value=None):
    if mode == "constant":
        return torch.constant_pad_nd(input, pad, 0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value is not None and value != 0:
        raise ValueError(f'Padding mode "{mode}" doesn\'t take in value argument')
    axes = len(pad) // 2
    if axes > 3 or input.dim() not in (axes + 1, axes + 2):
        raise NotImplementedError("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now")
    for axis in range(axes):
        input = _pad_axis(input, input.dim() - 1 - axis, pad[2 * axis], pad[2 * axis + 1], mode)
    if mode == "circular":
        return _nn.renamed(input, "CopySlices")
    return _nn.renamed(input, f"{'Reflection' if mode == 'reflect' else 'Replication'}Pad{axes}DBackward0")


def _pad_axis(input, dim, before, after, mode):
    n = input.size(dim)
    if mode == "reflect":
        if before >= n or after >= n:
            raise RuntimeError(f"Argument #4: Padding size should be less than the corresponding input dimension, but got: padding ({before}, {after}) at dimension {dim} of input {list(input.shape)}")
        front = input.narrow(dim, 1, before).flip(dim)
        back = input.narrow(dim, n - 1 - after, after).flip(dim)
    elif mode == "replicate":
        sizes = list(input.shape)
        sizes[dim] = before
        front = input.narrow(dim, 0, 1).expand(sizes)
        sizes[dim] = after
        back = input.narrow(dim, n - 1, 1).expand(sizes)
    else:
        front = input.narrow(dim, n - before, before)
        back = input.narrow(dim, 0, after)
    return torch.cat([front, input, back], dim)
