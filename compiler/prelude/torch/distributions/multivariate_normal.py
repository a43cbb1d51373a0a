"""Normally distributed vectors."""
import math
import torch
from torch.distributions import constraints
from torch.distributions.distribution import Distribution


class MultivariateNormal(Distribution):
    """Given by one of three matrices; the other two are computed when they are first asked for."""

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True
    _stored = "_"
    _covariance_matrix = None
    _precision_matrix = None
    _scale_tril = None

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {"scale_tril": scale_tril, "covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix}
        given = {name: matrix for name, matrix in given.items() if matrix is not None}
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        name, matrix = list(given.items())[0]
        if matrix.dim() < 2:
            raise ValueError(f"{name} matrix must be at least two-dimensional, with optional leading batch dimensions".replace("_matrix matrix", "_matrix"))
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self._loc = loc.expand(list(batch_shape) + [-1])
        setattr(self, "_" + name, matrix.expand(list(batch_shape) + [-1, -1]))
        super().__init__(batch_shape, self._loc.shape[-1:], validate_args=validate_args)
        if scale_tril is not None:
            self._factor = scale_tril
        elif covariance_matrix is not None:
            self._factor = torch.linalg.cholesky(covariance_matrix)
        else:
            self._factor = _factor_of_precision(precision_matrix)

    def expand(self, batch_shape, _instance=None):
        new = self.__new__(type(self))
        batch_shape = torch.Size(batch_shape)
        new._loc = self._loc.expand(batch_shape + self._event_shape)
        for name in ("covariance_matrix", "scale_tril", "precision_matrix"):
            matrix = self._known(name)
            if matrix is not None:
                setattr(new, "_" + name, matrix.expand(batch_shape + self._event_shape + self._event_shape))
        new._factor = self._factor
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _in_batch(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def loc(self):
        return self._loc

    @property
    def scale_tril(self):
        if self._scale_tril is None:
            with torch.enable_grad():
                self._scale_tril = self._in_batch(self._factor)
        return self._scale_tril

    @property
    def covariance_matrix(self):
        if self._covariance_matrix is None:
            with torch.enable_grad():
                self._covariance_matrix = self._in_batch(torch.matmul(self._factor, self._factor.mT))
        return self._covariance_matrix

    @property
    def precision_matrix(self):
        if self._precision_matrix is None:
            with torch.enable_grad():
                self._precision_matrix = self._in_batch(torch.cholesky_inverse(self._factor))
        return self._precision_matrix

    @property
    def mean(self):
        return self._loc

    @property
    def mode(self):
        return self._loc

    @property
    def variance(self):
        return self._factor.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def _half_log_det(self):
        return self._factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def rsample(self, sample_shape=torch.Size()):
        noise = torch.empty(self._extended_shape(sample_shape), dtype=self._loc.dtype, device=self._loc.device).normal_()
        return self._loc + torch.matmul(self._factor, noise.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        whitened = torch.linalg.solve_triangular(self._factor, (value - self._loc).unsqueeze(-1), upper=False).squeeze(-1)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + whitened.pow(2).sum(-1)) - self._half_log_det()

    def entropy(self):
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return entropy.expand(self._batch_shape) if len(self._batch_shape) else entropy


def _factor_of_precision(precision):
    """The lower triangular L with L Lᵀ = P⁻¹, from the factor of P read backwards."""
    flipped = torch.linalg.cholesky(torch.flip(precision, (-2, -1)))
    inverse = torch.transpose(torch.flip(flipped, (-2, -1)), -2, -1)
    identity = torch.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return torch.linalg.solve_triangular(inverse, identity, upper=False)
