"""The base of all distributions: shapes, validation and what follows from other members."""
import torch
from torch.distributions import constraints


class Distribution:
    has_rsample = False
    has_enumerate_support = False
    _validate_args = True
    _stored = ""  # what the names of the parameters' attributes begin with; "_" where a parameter is computed at its first use

    @staticmethod
    def set_default_validate_args(value):
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=torch.Size(), event_shape=torch.Size(), validate_args=None):
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()

    def _validate_parameters(self):
        for name, constraint in self.arg_constraints.items():
            if constraints.is_dependent(constraint):
                continue
            if self._stored and self._known(name) is None:
                continue  # it follows from another parameter
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution {repr(self)} "
                    f"to satisfy the constraint {repr(constraint)}, but found invalid values:\n{value}"
                )

    def _known(self, name):
        """The parameter `name`, or None where it has not been computed."""
        return self.__dict__.get(self._stored + name)

    def expand(self, batch_shape, _instance=None):
        raise NotImplementedError

    def _expanded(self, batch_shape, event_dims=0):
        """The same distribution with a larger batch, where every parameter has the batch's shape and `event_dims` dimensions more."""
        new = self.__new__(type(self))
        batch_shape = torch.Size(batch_shape)
        for name in self.arg_constraints:
            value = self._known(name)
            if value is not None:
                setattr(new, self._stored + name, value.expand(batch_shape + value.shape[value.dim() - event_dims:]))
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def batch_shape(self):
        return self._batch_shape

    @property
    def event_shape(self):
        return self._event_shape

    @property
    def arg_constraints(self):
        raise NotImplementedError

    @property
    def support(self):
        raise NotImplementedError

    @property
    def mean(self):
        raise NotImplementedError

    @property
    def mode(self):
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self):
        raise NotImplementedError

    @property
    def stddev(self):
        return self.variance.sqrt()

    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=torch.Size()):
        raise NotImplementedError

    def log_prob(self, value):
        raise NotImplementedError

    def cdf(self, value):
        raise NotImplementedError

    def icdf(self, value):
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        raise NotImplementedError

    def entropy(self):
        raise NotImplementedError

    def perplexity(self):
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape=torch.Size()):
        return torch.Size(sample_shape) + self._batch_shape + self._event_shape

    def _validate_sample(self, value):
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape = value.size()
        if shape[len(shape) - len(self._event_shape):] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}.")
        expected = self._batch_shape + self._event_shape
        for i, j in zip(reversed(shape), reversed(expected)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        support = self.support
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the support ({repr(support)}) "
                f"of the distribution {repr(self)}, but found invalid values:\n{value}"
            )

    def __repr__(self):
        parts = []
        for name in self.arg_constraints:
            value = self._known(name)
            if value is not None:
                parts.append(f"{name}: {value if value.numel() == 1 else value.size()}")
        return self.__class__.__name__ + "(" + ", ".join(parts) + ")"


class ExponentialFamily(Distribution):
    """Distributions of the exponential family."""
