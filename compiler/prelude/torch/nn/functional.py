"""Functions of networks that are made of others. What one row of the op table does (relu, gelu, softmax, layer_norm, the losses)
is a native function of `torch._nn`; what stands here makes the same calls in the same order as PyTorch."""
import math
import torch
from torch import _nn
from torch.nn._ctc import ctc_loss
from torch.nn._dropout import alpha_dropout, dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout
from torch.nn._losses import (binary_cross_entropy, binary_cross_entropy_with_logits, cosine_embedding_loss, cosine_similarity, cross_entropy, gaussian_nll_loss,
                              hinge_embedding_loss, huber_loss, kl_div, l1_loss, margin_ranking_loss, mse_loss, multi_margin_loss, multilabel_margin_loss,
                              multilabel_soft_margin_loss, nll_loss, pairwise_distance, pdist, poisson_nll_loss, smooth_l1_loss, soft_margin_loss,
                              triplet_margin_loss, triplet_margin_with_distance_loss)
from torch.nn._resizing import (affine_grid, channel_shuffle, grid_sample, interpolate, native_channel_shuffle, pixel_shuffle, pixel_unshuffle, upsample,
                                upsample_bilinear, upsample_nearest)
from torch.nn._windows import (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d, adaptive_max_pool1d, adaptive_max_pool1d_with_indices,
                               adaptive_max_pool2d, adaptive_max_pool2d_with_indices, adaptive_max_pool3d, avg_pool1d, avg_pool2d, avg_pool3d, conv1d,
                               conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d, fold, lp_pool1d, lp_pool2d, max_pool1d,
                               max_pool1d_with_indices, max_pool2d, max_pool2d_with_indices, max_pool3d, max_pool3d_with_indices, max_unpool1d,
                               max_unpool2d, pad, unfold)


# ---- linear maps

def linear(input, weight, bias=None):
    if input.dim() == 0:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are 0D and {weight.dim()}D")
    if bias is None:
        return input.matmul(weight.t())
    if input.dim() == 2:
        return torch.addmm(bias, input, weight.t())
    # One product of matrices with the bias inside, in the input's shape again.
    if input.is_contiguous():
        flat = input.reshape(-1, input.size(-1))
        return _nn.unsafe_view(torch.addmm(bias, flat, weight.t()), tuple(input.shape[:-1]) + (weight.size(0),))
    return input.matmul(weight.t()) + bias


def bilinear(input1, input2, weight, bias=None):
    out = _nn.renamed(torch.einsum("...i,oij,...j->...o", input1, weight, input2), "ViewBackward0")
    return out if bias is None else out + bias


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    if sparse:
        raise NotImplementedError("not supported: embedding with sparse gradients")
    if max_norm is not None:
        _limit_rows(weight, input, max_norm, norm_type)
    if scale_grad_by_freq and weight.requires_grad:
        # Each row's gradient is divided by how often the row is looked up.
        counts = torch.zeros(weight.size(0), dtype=weight.dtype).index_add_(0, input.reshape(-1), torch.ones(input.numel(), dtype=weight.dtype))
        scale = (1 / counts.clamp_min(1)).unsqueeze(1)
        weight = weight * scale + (weight * (1 - scale)).detach()
    return _nn.embedding(weight, input, -1 if padding_idx is None else padding_idx)


def _limit_rows(weight, input, max_norm, norm_type):
    """Rows that are looked up and longer than `max_norm` are shortened in place."""
    with torch.no_grad():
        used = torch.zeros(weight.size(0), dtype=torch.bool).index_fill_(0, input.reshape(-1), True)
        norms = weight.norm(norm_type, 1)
        factor = torch.where(used & (norms > max_norm), max_norm / (norms + 1e-7), 1.0)
        weight.copy_(weight * factor.unsqueeze(1))


def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    if max_norm is not None or scale_grad_by_freq or sparse or padding_idx is not None or include_last_offset:
        raise NotImplementedError("not supported: embedding_bag with max_norm, scale_grad_by_freq, sparse, padding_idx or include_last_offset")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    rows = weight.index_select(0, input.reshape(-1))
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    if input.dim() == 2:
        rows = rows.view(input.size(0), input.size(1), weight.size(1))
        result = rows.sum(1) if mode == "sum" else rows.mean(1) if mode == "mean" else rows.amax(1)
    else:
        bags = torch.searchsorted(offsets, torch.arange(input.size(0), dtype=offsets.dtype), right=True) - 1
        result = torch.zeros(offsets.size(0), weight.size(1), dtype=weight.dtype)
        if mode == "max":
            result = result.scatter_reduce(0, bags.view(-1, 1).expand(rows.shape), rows, "amax", include_self=False)
        else:
            result = result.index_add(0, bags, rows)
        if mode == "mean":
            counts = torch.zeros(offsets.size(0), dtype=weight.dtype).index_add(0, bags, torch.ones(input.size(0), dtype=weight.dtype))
            result = result / counts.clamp_min(1).view(-1, 1)
    return _nn.renamed(result, "EmbeddingBagBackward0")


def one_hot(tensor, num_classes=-1):
    return torch._one_hot(tensor, num_classes)


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
    return _nn.logsigmoid(input)


def softplus(input, beta=1.0, threshold=20.0):
    return _nn.softplus(input, beta, threshold)


def softsign(input):
    return input / (input.abs() + 1)


def tanhshrink(input):
    return input - input.tanh()


def softshrink(input, lambd=0.5):
    return _nn.softshrink(input, lambd)


def hardshrink(input, lambd=0.5):
    return _nn.hardshrink(input, lambd)


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
        if input.dim() == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.size(1) if input.dim() > 1 else 1
        if channels != weight.numel():
            raise RuntimeError(f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {weight.numel()} and channel size = {channels}.")
        if input.dim() > 1:
            weight = weight.view([1, weight.numel()] + [1] * (input.dim() - 2))
    return _nn.prelu(input, weight)


def glu(input, dim=-1):
    if input.dim() == 0:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    if input.size(dim) % 2 != 0:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim % input.dim()} is size {input.size(dim)}")
    a, b = input.chunk(2, dim)
    return _nn.renamed(a * b.sigmoid(), "GluBackward0")


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    if training:
        result = _nn.rrelu_with_noise(input, lower, upper)[0]
    else:
        result = _nn.renamed(_nn.leaky_relu(input, (lower + upper) / 2), "RreluWithNoiseBackward0")
    return input.copy_(result) if inplace else result


def relu_(input):
    return torch.relu_(input)


def elu_(input, alpha=1.0):
    return _nn.elu_(input, alpha)


def celu_(input, alpha=1.0):
    return torch.celu_(input, alpha)


def selu_(input):
    return torch.selu_(input)


def leaky_relu_(input, negative_slope=0.01):
    return _nn.leaky_relu_(input, negative_slope)


def hardtanh_(input, min_val=-1.0, max_val=1.0):
    return _nn.hardtanh_(input, min_val, max_val)


def threshold_(input, threshold, value):
    return torch.threshold_(input, threshold, value)


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    return rrelu(input, lower, upper, training, True)


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
        output, mean, var = _nn.batch_norm_train(input, weight, bias, running_mean, running_var, eps)
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
    return _nn.renamed(out, "NativeGroupNormBackward0")


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-5):
    n, c = input.size(0), input.size(1)
    if use_input_stats:
        places = 1
        for s in input.shape[2:]:
            places *= s
        if places == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    repeated = [None if t is None else t.repeat(n) for t in (weight, bias, running_mean, running_var)]
    flat = input.contiguous().view([1, n * c] + list(input.shape)[2:])
    out = batch_norm(flat, repeated[2], repeated[3], repeated[0], repeated[1], use_input_stats, momentum, eps)
    if use_input_stats and running_mean is not None:
        with torch.no_grad():
            running_mean.copy_(repeated[2].view(n, c).mean(0))
            running_var.copy_(repeated[3].view(n, c).mean(0))
    return out.view(input.shape)


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    if input.dim() < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {input.dim()} dimensions)")
    if input.numel() == 0:
        return input
    squares = input.mul(input)
    if input.dim() == 3:
        squares = avg_pool2d(pad(squares.unsqueeze(1), (0, 0, size // 2, (size - 1) // 2)), (size, 1), stride=1).squeeze(1)
    else:
        shape = input.size()
        squares = squares.view(shape[0], 1, shape[1], shape[2], -1)
        squares = avg_pool3d(pad(squares, (0, 0, 0, 0, size // 2, (size - 1) // 2)), (size, 1, 1), stride=1).squeeze(1)
        squares = squares.view(shape)
    return input / squares.mul(alpha).add(k).pow(beta)


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
