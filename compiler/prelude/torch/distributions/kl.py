"""Kullback-Leibler divergences of pairs of distributions."""
import math
import torch
from torch.distributions.continuous import Exponential, Laplace, Normal, Uniform
from torch.distributions.distribution import ExponentialFamily
from torch.distributions.discrete import Bernoulli, Categorical, OneHotCategorical
from torch.distributions.independent import Independent
from torch.distributions.utils import _sum_rightmost
from torch.nn.functional import softplus

_pairs = {}


def register_kl(type_p, type_q):
    def decorate(function):
        _pairs[(type_p, type_q)] = function
        return function

    return decorate


def _find(type_p, type_q):
    """The pair whose classes are nearest to those of the arguments, the first one's counting first."""
    for p in type_p.__mro__:
        for q in type_q.__mro__:
            if (p, q) in _pairs:
                return _pairs[(p, q)]
    return None


def kl_divergence(p, q):
    function = _find(type(p), type(q))
    if function is None:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type {q.__class__.__name__}")
    return function(p, q)


@register_kl(ExponentialFamily, ExponentialFamily)
def _different_families(p, q):
    space = " " * 28
    raise NotImplementedError(
        f"The cross KL-divergence between different exponential families cannot {space}be computed using Bregman divergences"
    )


@register_kl(Normal, Normal)
def _normal_normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


@register_kl(Bernoulli, Bernoulli)
def _bernoulli_bernoulli(p, q):
    one = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    one[q.probs == 0] = math.inf
    one[p.probs == 0] = 0
    zero = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zero[q.probs == 1] = math.inf
    zero[p.probs == 1] = 0
    return one + zero


@register_kl(Categorical, Categorical)
def _categorical_categorical(p, q):
    t = p.probs * (p.logits - q.logits)
    t[(q.probs == 0).expand_as(t)] = math.inf
    t[(p.probs == 0).expand_as(t)] = 0
    return t.sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_one_hot(p, q):
    return _categorical_categorical(p._categorical, q._categorical)


@register_kl(Uniform, Uniform)
def _uniform_uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[(q.low > p.low) | (q.high < p.high)] = math.inf
    return result


@register_kl(Exponential, Exponential)
def _exponential_exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Laplace, Laplace)
def _laplace_laplace(p, q):
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * torch.exp(-distance / p.scale) - 1


@register_kl(Independent, Independent)
def _independent_independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
