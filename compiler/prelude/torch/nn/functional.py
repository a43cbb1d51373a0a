"""Functions of networks that are made of others. What one row of the op table does (relu, gelu, softmax, layer_norm, the losses)
is a native function of `torch._nn`; what stands here makes the same calls in the same order as PyTorch."""
import math
import torch
from torch import _nn


# ---- linear maps

def linear(input, weight, bias=None):
    if input.dim() == 2 and bias is not None:
        return torch.addmm(bias, input, weight.t())
    out = input.matmul(weight.t())
    if bias is not None:
        # Three axes and more: one product of matrices with the bias inside, seen in the old shape again.
        if input.dim() >= 3:
            flat = input.reshape(-1, input.size(-1))
            return torch.addmm(bias, flat, weight.t()).view(tuple(input.shape[:-1]) + (weight.size(0),))
        out = out + bias
    return out


def bilinear(input1, input2, weight, bias=None):
    out = torch.einsum("...i,oij,...j->...o", input1, weight, input2)
    return out if bias is None else out + bias


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    if max_norm is not None or scale_grad_by_freq or sparse:
        raise NotImplementedError("not supported: embedding with max_norm, scale_grad_by_freq or sparse")
    return _nn.embedding(weight, input, -1 if padding_idx is None else padding_idx)


def one_hot(tensor, num_classes=-1):
    return _nn.one_hot(tensor, num_classes)


# ---- activations

def relu(input, inplace=False):
    return torch.relu_(input) if inplace else torch.relu(input)


def relu6(input, inplace=False):
    return _nn.relu6_(input) if inplace else _nn.relu6(input)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    return _nn.leaky_relu_(input, negative_slope) if inplace else _nn.leaky_relu(input, negative_slope)


def elu(input, alpha=1.0, inplace=False):
    return _nn.elu_(input, alpha) if inplace else _nn.elu(input, alpha)


def selu(input, inplace=False):
    return torch.selu_(input) if inplace else torch.selu(input)


def celu(input, alpha=1.0, inplace=False):
    return torch.celu_(input, alpha) if inplace else torch.celu(input, alpha)


def silu(input, inplace=False):
    return _nn.silu_(input) if inplace else _nn.silu(input)


def mish(input, inplace=False):
    return _nn.mish_(input) if inplace else _nn.mish(input)


def gelu(input, approximate="none"):
    return _nn.gelu(input, approximate=approximate)


def sigmoid(input):
    return input.sigmoid()


def tanh(input):
    return input.tanh()


def logsigmoid(input):
    return _nn.log_sigmoid(input)


def softplus(input, beta=1.0, threshold=20.0):
    return _nn.softplus(input, beta, threshold)


def softsign(input):
    return input / (input.abs() + 1)


def tanhshrink(input):
    return input - input.tanh()


def softshrink(input, lambd=0.5):
    return _nn.softshrink(input, lambd)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    return _nn.hardtanh_(input, min_val, max_val) if inplace else _nn.hardtanh(input, min_val, max_val)


def hardswish(input, inplace=False):
    return _nn.hardswish_(input) if inplace else _nn.hardswish(input)


def hardsigmoid(input, inplace=False):
    return _nn.hardsigmoid_(input) if inplace else _nn.hardsigmoid(input)


def threshold(input, threshold, value, inplace=False):
    return torch.threshold_(input, threshold, value) if inplace else torch.threshold(input, threshold, value)


def prelu(input, weight):
    if weight.numel() != 1:
        weight = weight.view([1, weight.numel()] + [1] * (input.dim() - 2))
    return torch.where(input > 0, input, weight * input)


def glu(input, dim=-1):
    a, b = input.chunk(2, dim)
    return a * b.sigmoid()


def _softmax_dim(dim, rank):
    if dim is not None:
        return dim
    return 0 if rank in (0, 1, 3) else 1


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    if dim is None:
        import warnings
        warnings.warn("Implicit dimension choice for softmax has been deprecated. Change the call to include dim=X as an argument.")
        dim = _softmax_dim(dim, input.dim())
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    return softmax(-input, _softmax_dim(dim, input.dim()), dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    if dim is None:
        import warnings
        warnings.warn("Implicit dimension choice for log_softmax has been deprecated. Change the call to include dim=X as an argument.")
        dim = _softmax_dim(dim, input.dim())
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    gumbels = -torch.empty_like(logits).exponential_().log()
    y_soft = ((logits + gumbels) / tau).softmax(dim)
    if not hard:
        return y_soft
    index = y_soft.max(dim, keepdim=True)[1]
    y_hard = torch.zeros_like(logits).scatter_(dim, index, 1.0)
    return y_hard - y_soft.detach() + y_soft


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)


# ---- dropout

def dropout(input, p=0.5, training=True, inplace=False):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if p == 0 or not training or input.numel() == 0:
        return input
    if p == 1:
        return input.zero_() if inplace else input * 0
    noise = torch.empty_like(input).bernoulli_(1 - p)
    noise.div_(1 - p)
    return input.mul_(noise) if inplace else input * noise


def _feature_dropout(input, p, training, inplace):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if p == 0 or not training or input.numel() == 0:
        return input
    shape = [input.size(0), input.size(1)] + [1] * (input.dim() - 2)
    noise = input.new_empty(shape).bernoulli_(1 - p)
    noise.div_(1 - p)
    return input.mul_(noise) if inplace else input * noise


def dropout1d(input, p=0.5, training=True, inplace=False):
    return _feature_dropout(input, p, training, inplace)


def dropout2d(input, p=0.5, training=True, inplace=False):
    return _feature_dropout(input, p, training, inplace)


# ---- normalisation

def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return torch.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    if eps is None:
        eps = torch.finfo(input.dtype).eps
    dims = tuple(range(-len(normalized_shape), 0))
    out = input * torch.rsqrt(input.pow(2).mean(dims, keepdim=True) + eps)
    return out if weight is None else out * weight


def _per_channel(v, rank):
    return v.view([1, v.numel()] + [1] * (rank - 2))


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    if training:
        size = input.size(0)
        for s in input.shape[2:]:
            size *= s
        if size == 1:
            raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
        output, mean, var = _nn.batch_norm_train(input, weight, bias, eps)
        if running_mean is not None:
            with torch.no_grad():
                running_mean.data.mul_(1 - momentum).add_(mean.detach() * momentum)
                running_var.data.mul_(1 - momentum).add_(var.detach() * (size / (size - 1)) * momentum)
        return output
    return _nn.batch_norm_eval(input, running_mean, running_var, weight, bias, eps)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    n, c = input.size(0), input.size(1)
    grouped = input.reshape(n, num_groups, -1)
    mean = grouped.mean(-1, keepdim=True)
    var = grouped.var(-1, unbiased=False, keepdim=True)
    out = ((grouped - mean) * torch.rsqrt(var + eps)).view(input.shape)
    if weight is not None:
        out = out * _per_channel(weight, input.dim())
    if bias is not None:
        out = out + _per_channel(bias, input.dim())
    return out


# ---- losses

def _reduced(loss, reduction):
    if reduction == "none":
        return loss
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    raise ValueError(f"{reduction} is not a valid value for reduction")


def _check_reduction(reduction):
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def _warn_sizes(input, target):
    if target.size() != input.size():
        import warnings
        warnings.warn(f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.")


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    _warn_sizes(input, target)
    a, b = torch.broadcast_tensors(input, target)
    return _nn.mse_loss(a, b, reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    _warn_sizes(input, target)
    a, b = torch.broadcast_tensors(input, target)
    return _nn.l1_loss(a, b, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    _warn_sizes(input, target)
    a, b = torch.broadcast_tensors(input, target)
    if beta == 0.0:
        return _nn.l1_loss(a, b, reduction)
    return _nn.smooth_l1_loss(a, b, reduction, beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    _warn_sizes(input, target)
    a, b = torch.broadcast_tensors(input, target)
    return _nn.huber_loss(a, b, reduction, delta)


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    _check_reduction(reduction)
    if input.dim() > 2:
        # Classes on axis 1; the places behind it are samples.
        n, c = input.size(0), input.size(1)
        flat = input.movedim(1, -1).reshape(-1, c)
        loss = _nn.nll_loss(flat, target.reshape(-1), weight, reduction, ignore_index)
        return loss.view(target.shape) if reduction == "none" else loss
    return _nn.nll_loss(input, target, weight, reduction, ignore_index)


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    _check_reduction(reduction)
    axis = 0 if input.dim() == 1 else 1
    if target.is_floating_point():
        if target.size() != input.size():
            raise RuntimeError("Expected floating point type for target with class probabilities, got Long")
        logp = log_softmax(input, axis)
        if label_smoothing > 0.0:
            target = target * (1 - label_smoothing) + label_smoothing / input.size(axis)
        if weight is not None:
            shape = [1] * input.dim()
            shape[axis] = weight.numel()
            target = target * weight.view(shape)
        loss = -(logp * target).sum(axis)
        if reduction == "mean":
            return loss.sum() / (input.numel() // input.size(axis))
        return _reduced(loss, reduction)
    logp = log_softmax(input, axis)
    if label_smoothing == 0.0:
        return nll_loss(logp, target, weight, ignore_index=ignore_index, reduction=reduction)
    classes = input.size(axis)
    nll = nll_loss(logp, target, weight, ignore_index=ignore_index, reduction=reduction)
    shape = [1] * input.dim()
    shape[axis] = classes
    weighted = logp if weight is None else logp * weight.view(shape)
    smooth = -weighted.sum(axis)
    ignored = target == ignore_index
    smooth = smooth.masked_fill(ignored, 0.0)
    if reduction == "mean":
        if weight is not None:
            total = weight[target.masked_fill(ignored, 0)].masked_fill(ignored, 0.0).sum()
        else:
            total = (~ignored).sum()
        smooth = smooth.sum() / total
    elif reduction == "sum":
        smooth = smooth.sum()
    return (1 - label_smoothing) * nll + label_smoothing / classes * smooth


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    if target.size() != input.size():
        raise ValueError(f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is deprecated. Please ensure they have the same size.")
    return _nn.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return _nn.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    if log_target:
        loss = target.exp() * (target - input)
    else:
        loss = torch.xlogy(target, target) - target * input
    if reduction == "batchmean":
        return loss.sum() / input.size(0)
    return _reduced(loss, reduction)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    zeros = torch.zeros_like(input)
    positive = torch.where(target == 1, input, zeros)
    negative = torch.where(target == -1, (margin - input).clamp_min(0), zeros)
    return _reduced(positive + negative, reduction)


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    return _reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _reduced(torch.log1p(torch.exp(-target * input)), reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    var = var.clone()
    with torch.no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduced(loss, reduction)


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"):
    loss = torch.exp(input) - target * input if log_input else input - target * torch.log(input + eps)
    if full:
        stirling = target * torch.log(target) - target + 0.5 * torch.log(2 * math.pi * target)
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return _reduced(loss, reduction)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    a, b = torch.broadcast_tensors(x1, x2)
    na = a.norm(2, dim, keepdim=True).clamp_min(eps)
    nb = b.norm(2, dim, keepdim=True).clamp_min(eps)
    return ((a / na) * (b / nb)).sum(dim)


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    c = cosine_similarity(input1, input2, 1)
    zeros = torch.zeros_like(c)
    loss = torch.where(target == 1, 1 - c, zeros) + torch.where(target == -1, (c - margin).clamp_min(0), zeros)
    return _reduced(loss, reduction)


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"):
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = torch.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced((near - far + margin).clamp_min(0), reduction)


# ---- convolutions and pooling

def _pair(v):
    return tuple(v) if isinstance(v, (tuple, list)) else (v, v)


def _single(v):
    return v[0] if isinstance(v, (tuple, list)) else v


def _same_padding(kernel, dilation):
    total = dilation * (kernel - 1)
    return total // 2, total - total // 2


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    stride, dilation = _pair(stride), _pair(dilation)
    if isinstance(padding, str):
        if padding == "valid":
            padding = 0
        else:
            top, bottom = _same_padding(weight.size(2), dilation[0])
            left, right = _same_padding(weight.size(3), dilation[1])
            if top == bottom and left == right:
                padding = (top, left)
            else:
                input = pad(input, (left, right, top, bottom))
                padding = 0
    return _nn.conv2d(input, weight, bias, stride, _pair(padding), dilation, groups)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    if isinstance(padding, str):
        if padding == "valid":
            padding = 0
        else:
            left, right = _same_padding(weight.size(2), _single(dilation))
            if left == right:
                padding = left
            else:
                input = pad(input, (left, right))
                padding = 0
    return _nn.conv1d(input, weight, bias, _single(stride), _single(padding), _single(dilation), groups)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    stride, padding, extra, dilation = _pair(stride), _pair(padding), _pair(output_padding), _pair(dilation)
    n, h, w = input.size(0), input.size(2), input.size(3)
    kernel = (weight.size(2), weight.size(3))
    height = (h - 1) * stride[0] - 2 * padding[0] + dilation[0] * (kernel[0] - 1) + extra[0] + 1
    width = (w - 1) * stride[1] - 2 * padding[1] + dilation[1] * (kernel[1] - 1) + extra[1] + 1
    channels = input.size(1) // groups
    parts = []
    for g in range(groups):
        x = input.narrow(1, g * channels, channels).reshape(n, channels, h * w)
        matrix = weight.narrow(0, g * channels, channels).reshape(channels, -1)
        parts.append(_nn.col2im(torch.matmul(matrix.t(), x), (height, width), kernel, dilation, padding, stride))
    output = parts[0] if groups == 1 else torch.cat(parts, 1)
    return output if bias is None else output + bias.view(1, -1, 1, 1)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    if return_indices:
        raise NotImplementedError("not supported: max_pool2d with return_indices=True")
    return _nn.max_pool2d(input, _pair(kernel_size), _pair(kernel_size if stride is None else stride), _pair(padding), _pair(dilation), ceil_mode)


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    stride = kernel_size if stride is None else stride
    if return_indices:
        raise NotImplementedError("not supported: max_pool1d with return_indices=True")
    values = _nn.max_pool2d(input.unsqueeze(-2), (1, _single(kernel_size)), (1, _single(stride)), (0, _single(padding)), (1, _single(dilation)), ceil_mode)
    return values.squeeze(-2)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    return _nn.avg_pool2d(input, _pair(kernel_size), _pair(kernel_size if stride is None else stride), _pair(padding), ceil_mode, count_include_pad, divisor_override)


def adaptive_avg_pool2d(input, output_size):
    h, w = _pair(output_size)
    h = input.size(-2) if h is None else h
    w = input.size(-1) if w is None else w
    if input.size(-2) % h == 0 and input.size(-1) % w == 0:
        if h == 1 and w == 1:
            return input.mean((-1, -2), keepdim=True)
        kh, kw = input.size(-2) // h, input.size(-1) // w
        return _nn.avg_pool2d(input, (kh, kw), (kh, kw), (0, 0), False, True, None)
    raise NotImplementedError("not supported: adaptive_avg_pool2d whose output does not divide its input")


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    return _nn.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def pad(input, pad, mode="constant", value=None):
    if mode == "constant":
        return torch.constant_pad_nd(input, pad, 0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    for axis in range(len(pad) // 2):
        input = _pad_axis(input, input.dim() - 1 - axis, pad[2 * axis], pad[2 * axis + 1], mode)
    return input


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


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    if mode != "nearest" or input.dim() != 4 or scale_factor is None or scale_factor != int(scale_factor):
        raise NotImplementedError("not supported: interpolate, but for mode='nearest' by a whole scale_factor on four axes")
    k = int(scale_factor)
    return input.repeat_interleave(k, 2).repeat_interleave(k, 3)


# ---- attention

def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    scale = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = query @ key.transpose(-2, -1) * scale
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
        mask = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool).tril()
        scores = scores.masked_fill(~mask, float("-inf"))
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            scores = scores.masked_fill(~attn_mask, float("-inf"))
        else:
            scores = scores + attn_mask
    weights = scores.softmax(-1)
    if dropout_p > 0.0:
        weights = dropout(weights, dropout_p)
    return weights @ value
