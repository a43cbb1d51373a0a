"""Functions that torch shares with torch.nn.functional, under the names of their C++ parameters."""
import torch.nn.functional as F
from torch.nn._dropout import _feature_dropout
from torch.nn._ctc import ctc_loss as _ctc_loss
from torch.nn.functional import (affine_grid, binary_cross_entropy_with_logits, channel_shuffle, cosine_embedding_loss, embedding_bag, grid_sample,
                                 hinge_embedding_loss, kl_div, margin_ranking_loss, pairwise_distance, pixel_shuffle, pixel_unshuffle, poisson_nll_loss,
                                 prelu, rms_norm, rrelu, triplet_margin_loss)


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=1, zero_infinity=False):
    return _ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, ("none", "mean", "sum")[reduction], zero_infinity)


def dropout(input, p, train):
    return F.dropout(input, p, train)


def dropout_(input, p, train):
    return F.dropout(input, p, train, True)


def alpha_dropout(input, p, train):
    return F.alpha_dropout(input, p, train)


def feature_dropout(input, p, train):
    return _feature_dropout(input, p, train, False)


def feature_alpha_dropout(input, p, train):
    return F.feature_alpha_dropout(input, p, train)


def bilinear(input1, input2, weight, bias=None):
    return F.bilinear(input1, input2, weight, bias)


def instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled=False):
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=False):
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def adaptive_max_pool1d(input, output_size):
    return F.adaptive_max_pool1d(input, output_size, True)


def max_pool1d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    return F.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    from torch import func as functions
    return functions.vmap(func, in_dims, out_dims, randomness, chunk_size=chunk_size)
