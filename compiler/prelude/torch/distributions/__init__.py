"""Probability distributions."""
from torch.distributions import constraints
from torch.distributions.distribution import Distribution, ExponentialFamily
from torch.distributions.continuous import Exponential, Laplace, Normal, Uniform
from torch.distributions.discrete import Bernoulli, Categorical, OneHotCategorical
from torch.distributions.heavy_tailed import Cauchy
from torch.distributions.independent import Independent
from torch.distributions.kl import kl_divergence, register_kl
from torch.distributions.mixture import MixtureSameFamily
from torch.distributions.multivariate_normal import MultivariateNormal
