"""What the distributions share: broadcasting of parameters, probabilities and logits."""
import torch
import torch.nn.functional as F

euler_constant = 0.57721566490153286060


def broadcast_all(*values):
    """Numbers become tensors of the first tensor's dtype (the default dtype without one); all are broadcast to one shape."""
    for v in values:
        if not isinstance(v, (torch.Tensor, int, float)):
            raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__.")
    dtype = torch.get_default_dtype()
    for v in values:
        if isinstance(v, torch.Tensor):
            dtype = v.dtype
            break
    return torch.broadcast_tensors(*[v if isinstance(v, torch.Tensor) else torch.tensor(v, dtype=dtype) for v in values])


def _sum_rightmost(value, dim):
    if dim == 0:
        return value
    return value.reshape(list(value.shape[:-dim]) + [-1]).sum(-1)


def logits_to_probs(logits, is_binary=False):
    return torch.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def clamp_probs(probs):
    """Into the open interval (0, 1), by the dtype's epsilon."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary=False):
    clamped = clamp_probs(probs)
    if is_binary:
        return torch.log(clamped) - torch.log1p(-clamped)
    return torch.log(clamped)
