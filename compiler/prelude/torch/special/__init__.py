"""torch.special: other names of functions of torch, and some composed ones."""
import torch
from torch import _nn


def expit(input):
    return torch.sigmoid(input)


def erf(input):
    return torch.erf(input)


def erfc(input):
    return torch.erfc(input)


def erfinv(input):
    return torch.erfinv(input)


def exp2(input):
    return torch.exp2(input)


def expm1(input):
    return torch.expm1(input)


def log1p(input):
    return torch.log1p(input)


def gammaln(input):
    return torch.lgamma(input)


def digamma(input):
    return torch.digamma(input)


def psi(input):
    return torch.digamma(input)


def logit(input, eps=None):
    return torch.logit(input, eps)


def xlogy(input, other):
    return torch.xlogy(input, other)


def xlog1py(input, other):
    return torch.where(torch.logical_and(input == 0, torch.logical_not(torch.isnan(other))), 0.0, input * torch.log1p(other))


def entr(input):
    return torch.where(input == 0, 0.0, torch.where(input < 0, float("-inf"), -input * torch.log(input)))


def logsumexp(input, dim, keepdim=False):
    return torch.logsumexp(input, dim, keepdim)


def softmax(input, dim, *, dtype=None):
    return torch.softmax(input, dim, dtype)


def log_softmax(input, dim, *, dtype=None):
    return torch.log_softmax(input, dim, dtype)


def round(input, *, decimals=0):
    return torch.round(input, decimals=decimals)
