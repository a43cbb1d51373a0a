"""Mixtures of components of one family."""
import torch
from torch.distributions import constraints
from torch.distributions.discrete import Categorical
from torch.distributions.distribution import Distribution


class _MixtureSupport(constraints.Constraint):
    """A sample is in the support where it is in that of every component; components stand left of the event's dimensions."""

    def __init__(self, base_constraint):
        self.base_constraint = base_constraint
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim

    def check(self, value):
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        kept = value.dim() - self.event_dim
        return result.reshape(list(result.shape[:kept]) + [-1]).all(-1)

    def __repr__(self):
        return f"MixtureSameFamilyConstraint({repr(self.base_constraint)})"


class MixtureSameFamily(Distribution):
    arg_constraints = {}
    has_rsample = False

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        mixture_batch = mixture_distribution.batch_shape
        batch = component_distribution.batch_shape[:-1]
        for i, j in zip(reversed(mixture_batch), reversed(batch)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixture_batch}) is not compatible with `component_distribution.batch_shape`({batch})"
                )
        count = mixture_distribution.logits.shape[-1]  # computes the logits: from here on they are in the repr, as in PyTorch
        components = component_distribution.batch_shape[-1]
        if count != components:
            raise ValueError(f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` ({components})")
        self._num_component = count
        self._event_ndims = len(component_distribution.event_shape)
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(batch_shape)
        batch_shape = torch.Size(batch_shape)
        new._component_distribution = self._component_distribution.expand(batch_shape + torch.Size([self._num_component]))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component = self._num_component
        new._event_ndims = self._event_ndims
        return new

    @property
    def support(self):
        return _MixtureSupport(self._component_distribution.support)

    @property
    def mixture_distribution(self):
        return self._mixture_distribution

    @property
    def component_distribution(self):
        return self._component_distribution

    @property
    def mean(self):
        return torch.sum(self._weights() * self._component_distribution.mean, dim=-1 - self._event_ndims)

    @property
    def variance(self):
        # The mean of the variances, and the variance of the means.
        weights = self._weights()
        within = torch.sum(weights * self._component_distribution.variance, dim=-1 - self._event_ndims)
        distance = (self._component_distribution.mean - self._beside_components(self.mean)).pow(2.0)
        return within + torch.sum(weights * distance, dim=-1 - self._event_ndims)

    def cdf(self, x):
        return torch.sum(self._component_distribution.cdf(self._beside_components(x)) * self._mixture_distribution.probs, dim=-1)

    def log_prob(self, x):
        if self._validate_args:
            self._validate_sample(x)
        of_components = self._component_distribution.log_prob(self._beside_components(x))
        return torch.logsumexp(of_components + torch.log_softmax(self._mixture_distribution.logits, dim=-1), dim=-1)

    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            dim = len(sample_shape) + len(self._batch_shape)
            chosen = self._mixture_distribution.sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            index = chosen.reshape(list(chosen.shape) + [1] * (self._event_ndims + 1))
            index = index.repeat([1] * (chosen.dim() + 1) + list(self._event_shape))
            return torch.gather(drawn, dim, index).squeeze(dim)

    def _beside_components(self, x):
        return x.unsqueeze(-1 - self._event_ndims)

    def _weights(self):
        """The components' probabilities, of a shape that goes with the components' moments."""
        probs = self._mixture_distribution.probs
        own = len(self._mixture_distribution.batch_shape)
        missing = 0 if own == 1 else len(self._batch_shape) - own
        return probs.reshape(list(probs.shape[:-1]) + [1] * missing + [probs.shape[-1]] + [1] * self._event_ndims)

    def __repr__(self):
        return f"MixtureSameFamily(\n  {self._mixture_distribution},\n  {self._component_distribution})"
