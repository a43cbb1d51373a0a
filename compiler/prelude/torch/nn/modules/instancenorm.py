"""Normalisation over the places of one channel of one sample."""
from torch.nn import functional as F
from torch.nn.modules.batchnorm import _NormBase


class _InstanceNorm(_NormBase):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input):
        unbatched = self._axes + 1
        if input.dim() not in (unbatched, unbatched + 1):
            raise ValueError(f"expected {unbatched}D or {unbatched + 1}D input (got {input.dim()}D input)")
        channels = input.dim() - unbatched
        if input.size(channels) != self.num_features:
            if self.affine:
                raise ValueError(f"expected input's size at dim={channels} to match num_features ({self.num_features}), but got: {input.size(channels)}.")
            import warnings
            warnings.warn(f"input's size at dim={channels} does not match num_features. You can silence this warning by not passing in num_features, which is not used because affine=False")
        if input.dim() == unbatched:
            return self._normalized(input.unsqueeze(0)).squeeze(0)
        return self._normalized(input)

    def _normalized(self, input):
        own = self.training or not self.track_running_stats
        momentum = 0.0 if self.momentum is None else self.momentum
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias, own, momentum, self.eps)


class InstanceNorm1d(_InstanceNorm):
    _axes = 1


class InstanceNorm2d(_InstanceNorm):
    _axes = 2


class InstanceNorm3d(_InstanceNorm):
    _axes = 3
