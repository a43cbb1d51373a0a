"""Losses. Those with a node of their own in PyTorch are rows of `torch._nn`; the others are written out here."""
import math
import torch
from torch import _nn


def _how(size_average, reduce, reduction):
    """The kind of reduction, from the name or from the two old flags."""
    import warnings
    if size_average is not None or reduce is not None:
        average = size_average is None or size_average
        reduction = ("mean" if average else "sum") if reduce is None or reduce else "none"
        warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        return "mean"
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def _reduced(loss, reduction):
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()


def _weighted(loss, weight, reduction, average):
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")
    loss = loss * weight
    if reduction == "mean" and not average:
        return torch.sum(loss) / torch.sum(weight)
    return _reduced(loss, reduction)


def _pair(input, target):
    if target.size() != input.size():
        import warnings
        warnings.warn(f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.")
    return torch.broadcast_tensors(input, target)


def _check_weight(weight, input):
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")


def _dtype_name(dtype):
    return {torch.bool: "Bool", torch.uint8: "Byte", torch.int8: "Char", torch.int16: "Short", torch.int32: "Int", torch.int64: "Long", torch.float16: "Half",
            torch.bfloat16: "BFloat16", torch.float32: "Float", torch.float64: "Double", torch.complex64: "ComplexFloat", torch.complex128: "ComplexDouble"}[dtype]


# ---- of differences

def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    a, b = _pair(input, target)
    if weight is not None:
        _check_weight(weight, input)
        return _weighted(torch.pow(a - b, 2), weight, reduction, False)
    return _nn.mse_loss(a, b, _how(size_average, reduce, reduction))


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    a, b = _pair(input, target)
    if weight is not None:
        _check_weight(weight, input)
        return _weighted(torch.abs(a - b), weight, reduction, False)
    if not a.is_floating_point():
        return _reduced(torch.abs(a - b), _how(size_average, reduce, reduction))
    return _nn.l1_loss(a, b, _how(size_average, reduce, reduction))


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    a, b = _pair(input, target)
    if beta == 0.0:
        return _nn.l1_loss(a, b, _how(size_average, reduce, reduction))
    return _nn.smooth_l1_loss(a, b, _how(size_average, reduce, reduction), beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    a, b = _pair(input, target)
    if weight is not None:
        _check_weight(weight, input)
        return _weighted(_nn.huber_loss(a, b, "none", delta), weight, reduction, True)
    return _nn.huber_loss(a, b, _how(None, None, reduction), delta)


# ---- of classes

def _check_target_dtype(target):
    if target.dtype != torch.int64 and target.dtype != torch.uint8:
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {_dtype_name(target.dtype)}")


def _check_target_size(input, target):
    if input.dim() == 1:
        if target.dim() == 1 and target.size(0) != 1:
            raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.size(0)}")
    elif input.dim() > 1:
        rows = target.size(0) if target.dim() > 0 else 0
        if input.size(0) != rows:
            raise ValueError(f"Expected input batch_size ({input.size(0)}) to match target batch_size ({rows}).")


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    reduction = _how(size_average, reduce, reduction)
    if input.dim() == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    _check_target_size(input, target)
    axis = 0 if input.dim() == 1 else 1
    classes = input.size(axis)
    if input.dim() <= 2:
        if target.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    elif input.dim() == 4:
        if target.dim() != 3:
            raise RuntimeError(f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {target.dim()}")
        if list(target.shape) != [input.size(0)] + list(input.shape[2:]):
            raise RuntimeError(f"size mismatch (got input: {list(input.shape)} , target: {list(target.shape)}")
    elif list(target.shape) != [input.size(0)] + list(input.shape[2:]):
        raise RuntimeError(f"Expected target size {[input.size(0)] + list(input.shape[2:])}, got {list(target.shape)}")
    _check_target_dtype(target)
    if weight is not None and (weight.dim() != 1 or weight.numel() != classes):
        if input.dim() > 2:
            raise RuntimeError("weight tensor should be defined either for all or no classes")
        raise RuntimeError(f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of shape: {list(weight.shape)}")
    if weight is not None and weight.dtype != input.dtype:
        raise RuntimeError(f"expected scalar type {_dtype_name(input.dtype)} but found {_dtype_name(weight.dtype)}")
    if input.dim() > 2:
        # Classes on axis 1; the places behind it are samples.
        n, c = input.size(0), input.size(1)
        flat = input.movedim(1, -1).reshape(-1, c)
        loss = _nn.nll_loss(flat, target.reshape(-1), weight, reduction, ignore_index)
        return loss.view(target.shape) if reduction == "none" else loss
    return _nn.nll_loss(input, target, weight, reduction, ignore_index)


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    reduction = _how(size_average, reduce, reduction)
    axis = 0 if input.dim() == 1 else 1
    if target.size() == input.size():
        if not target.is_floating_point():
            raise RuntimeError(f"Expected floating point type for target with class probabilities, got {_dtype_name(target.dtype)}")
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        logp = input.log_softmax(axis)
        if label_smoothing > 0.0:
            target = target * (1 - label_smoothing) + label_smoothing / input.size(axis)
        if weight is not None:
            shape = [1] * input.dim()
            shape[axis] = weight.numel()
            target = target * weight.view(shape)
        loss = -(logp * target).sum(axis)
        if reduction == "mean":
            return _nn.renamed(loss.sum() / (input.numel() // input.size(axis)), "DivBackward1")
        return _reduced(loss, reduction)
    if label_smoothing > 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    logp = input.log_softmax(axis)
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


# ---- of probabilities

def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    reduction = _how(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is deprecated. Please ensure they have the same size.")
    if weight is not None:
        weight = weight.expand(torch.broadcast_shapes(target.size(), weight.size()))
    if target.dtype != input.dtype:
        raise RuntimeError(f"Found dtype {_dtype_name(target.dtype)} but expected {_dtype_name(input.dtype)}")
    with torch.no_grad():
        _nn.check(torch.logical_and(input >= 0, input <= 1).all(), "RuntimeError", "all elements of input should be between 0 and 1")
        _nn.check(torch.logical_and(target >= 0, target <= 1).all(), "RuntimeError", "all elements of target should be between 0 and 1")
    return _nn.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
    reduction = _how(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    if input.is_floating_point() and not target.is_floating_point():
        raise RuntimeError(f"result type {_dtype_name(input.dtype)} can't be cast to the desired output type {_dtype_name(target.dtype)}")
    return _nn.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    flags = size_average is not None or reduce is not None
    if not flags and reduction == "mean":
        import warnings
        warnings.warn("reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as 'batchmean' in the next major release.")
    how = "sum" if reduction == "batchmean" and not flags else _how(size_average, reduce, reduction)
    loss = target.exp() * (target - input) if log_target else torch.xlogy(target, target) - target * input
    loss = _reduced(loss, how)
    return loss / input.size(0) if reduction == "batchmean" and input.dim() != 0 else loss


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * torch.ones_like(input)
    else:
        with torch.no_grad():
            _nn.check(torch.all(torch.logical_not(var < 0)), "ValueError", "var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = torch.unsqueeze(var, -1)
        elif input.ndim != var.ndim or sum([y for x, y in zip(input.size(), var.size()) if x != y]) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with torch.no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return _reduced(loss, reduction)


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"):
    reduction = _how(size_average, reduce, reduction)
    loss = torch.exp(input) - target * input if log_input else input - target * torch.log(input + eps)
    if full:
        stirling = target * torch.log(target) - target + 0.5 * torch.log(2 * math.pi * target)
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return _reduced(loss, reduction)


# ---- of margins

def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    reduction = _how(size_average, reduce, reduction)
    zeros = torch.zeros_like(input)
    # A target that is neither 1 nor -1 counts as both.
    positive = torch.where(target != -1, input, zeros)
    negative = torch.where(target != 1, (margin - input).clamp_min(0), zeros)
    return _reduced(positive + negative, reduction)


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    reduction = _how(size_average, reduce, reduction)
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} ")
    return _reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    reduction = _how(size_average, reduce, reduction)
    return _nn.renamed(_reduced(torch.log1p(torch.exp(-target * input)), reduction), "SoftMarginLossBackward0")


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    reduction = _how(size_average, reduce, reduction)
    if p != 1 and p != 2:
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    scores = input.unsqueeze(0) if input.dim() < 2 else input
    rows, classes = scores.size(0), scores.size(1)
    if target.dim() > 1 or target.numel() != rows:
        raise RuntimeError(f"multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). Expected target size [{rows}], but got {list(target.shape)}. Input has shape {list(input.shape)}.")
    if weight is not None and weight.numel() != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    _nn.check(torch.logical_and(target >= 0, target < classes).all(), "RuntimeError", "target out of range")
    index = target.reshape(-1, 1)
    own = scores.gather(1, index)
    gaps = (margin - own + scores).clamp_min(0)
    if p == 2:
        gaps = gaps * gaps
    if weight is not None:
        gaps = gaps * weight[index]
    loss = gaps.scatter(1, index, 0.0).sum(1) / classes
    loss = _reduced(loss, reduction)
    if reduction == "none" and input.dim() < 2:
        loss = loss.squeeze(0)
    return _nn.renamed(loss, "MultiMarginLossBackward0")


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    reduction = _how(size_average, reduce, reduction)
    if target.size() != input.size():
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")
    scores, labels = (input.unsqueeze(0), target.unsqueeze(0)) if input.dim() < 2 else (input, target)
    # Labels count up to the first -1.
    counted = (labels < 0).cumsum(1) == 0
    places = torch.where(counted, labels, 0)
    is_label = torch.zeros_like(scores).scatter_add(1, places, counted.to(scores.dtype)) > 0
    own = scores.gather(1, places)
    gaps = (1 - own.unsqueeze(2) + scores.unsqueeze(1)).clamp_min(0)
    use = torch.logical_and(counted.unsqueeze(2), torch.logical_not(is_label).unsqueeze(1))
    loss = torch.where(use, gaps, 0.0).sum((1, 2)) / scores.size(1)
    loss = _reduced(loss, reduction)
    if reduction == "none" and input.dim() < 2:
        loss = loss.squeeze(0)
    return _nn.renamed(loss, "MultilabelMarginLossBackward0")


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    if size_average is not None or reduce is not None:
        reduction = _how(size_average, reduce, reduction)
    loss = -(target * _nn.logsigmoid(input) + (1 - target) * _nn.logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    loss = loss.sum(input.dim() - 1) / input.size(input.dim() - 1)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    return _reduced(loss, reduction)


# ---- of distances

def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    a, b = torch.broadcast_tensors(x1, x2)
    na = a.norm(2, dim, keepdim=True).clamp_min(eps)
    nb = b.norm(2, dim, keepdim=True).clamp_min(eps)
    return ((a / na) * (b / nb)).sum(dim)


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    return _nn.renamed((x1 - x2 + eps).norm(p, -1, keepdim=keepdim), "NormBackward1")


def pdist(input, p=2.0):
    return torch.pdist(input, p)


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    reduction = _how(size_average, reduce, reduction)
    if target.dim() > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    rank = target.dim() + 1
    if input1.dim() != rank or input2.dim() != rank:
        raise RuntimeError(f"{target.dim()}D target tensor expects {rank}D input tensors, but found inputs with sizes {list(input1.shape)} and {list(input2.shape)}.")
    c = cosine_similarity(input1, input2, target.dim())
    zeros = torch.zeros_like(c)
    loss = torch.where(target == 1, 1 - c, zeros) + torch.where(target == -1, (c - margin).clamp_min(0), zeros)
    return _reduced(loss, reduction)


def _check_ranks(anchor, positive, negative):
    if anchor.dim() != positive.dim() or positive.dim() != negative.dim():
        raise RuntimeError(f"The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs")


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"):
    reduction = _how(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    _check_ranks(anchor, positive, negative)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = torch.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced((near - far + margin).clamp_min(0), reduction)


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    _check_ranks(anchor, positive, negative)
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    return _reduced((margin + near - far).clamp_min(0), reduction)
