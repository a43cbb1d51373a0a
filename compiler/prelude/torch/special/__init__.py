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
    return _nn.renamed(torch.where(torch.logical_and(input == 0, torch.logical_not(torch.isnan(other))), 0.0, input * torch.log1p(other)), "SpecialXlog1PyBackward0")


def entr(input):
    return _nn.renamed(torch.where(input == 0, 0.0, torch.where(input < 0, float("-inf"), -input * torch.log(input))), "SpecialEntrBackward0")


def logsumexp(input, dim, keepdim=False):
    return torch.logsumexp(input, dim, keepdim)


def softmax(input, dim, *, dtype=None):
    return torch.softmax(input, dim, dtype)


def log_softmax(input, dim, *, dtype=None):
    return torch.log_softmax(input, dim, dtype)


def round(input, *, decimals=0):
    return torch.round(input, decimals=decimals)


def sinc(input):
    return torch.sinc(input)


def ndtr(input):
    return _nn.renamed(torch.erfc(-input * 0.7071067811865475244) * 0.5, "MulBackward1")


def log_ndtr(input):
    scaled = input * 0.7071067811865475244
    low = torch.where(input < -1.0, -1.0, input) * 0.7071067811865475244
    near = torch.log1p(-torch.erfc(low) / 2)
    # Far below, the tail's own series.
    x = torch.where(input < -5.0, input, -5.0)
    squares = 1 / (x * x)
    series = 1 - squares * (1 - 3 * squares * (1 - 5 * squares * (1 - 7 * squares * (1 - 9 * squares))))
    tail = -0.5 * x * x - torch.log(-x) - 0.91893853320467274178 + torch.log(series)
    middle = torch.log(torch.erfc(-torch.where(input < -1.0, scaled, -0.7071067811865475244)) / 2)
    return _nn.renamed(torch.where(input < -5.0, tail, torch.where(input < -1.0, middle, near)), "SpecialLogNdtrBackward0")


def ndtri(input):
    return _nn.renamed(1.41421356237309504880 * torch.erfinv(2 * input - 1), "SpecialNdtriBackward0")


def multigammaln(input, p):
    return torch.mvlgamma(input, p)

