"""Order statistics, means and sums of parts."""
import math
import torch
from torch import _nn


def msort(input):
    return input.sort(0)[0]


def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    if not input.is_floating_point():
        raise RuntimeError("nanmean(): expected input to have floating point or complex dtype")
    factor = (~torch.isnan(input.detach())).sum(dim, keepdim) if dim is not None else (~torch.isnan(input.detach())).sum()
    return torch.nansum(input, dim, keepdim, dtype=dtype) / factor


def nanmedian(input, dim=None, keepdim=False):
    if dim is None:
        flat = input.reshape(-1)
        if flat.numel() == 0:
            return torch.full((), float("nan"), dtype=input.dtype)
        return _nn.renamed(_nanmedian_along(flat, 0, False)[0], "NanmedianBackward0")
    values, indices = _nanmedian_along(input, dim, keepdim)
    return _nn.return_type("nanmedian", _nn.renamed(values, "NanmedianBackward1"), indices)


def _nanmedian_along(input, dim, keepdim):
    if not input.is_floating_point():
        return input.median(dim, keepdim)
    values, indices = input.sort(dim)
    last = ((~torch.isnan(input.detach())).sum(dim, keepdim=True) - 1).clamp_min(0)
    place = torch.div(last, 2, rounding_mode="floor")
    chosen, where = values.gather(dim, place), indices.gather(dim, place)
    return (chosen, where) if keepdim else (chosen.squeeze(dim), where.squeeze(dim))


def _quantile(name, input, q, dim, keepdim, interpolation, ignore_nan):
    if input.numel() == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if isinstance(q, torch.Tensor):
        if q.dim() > 1:
            raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if input.dtype != torch.float32 and input.dtype != torch.float64:
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if isinstance(q, torch.Tensor):
        if q.dtype != input.dtype:
            raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
        many = q.dim() > 0
    else:
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q:g}")
        q = torch.tensor(q, dtype=input.dtype)
        many = False
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}")
    rank = input.dim()
    if dim is None:
        rows = input.flatten().sort(-1)[0]
        kept = [1] * rank
    elif rank == 0:
        rows = input.unsqueeze(-1)
        kept = []
    else:
        dim = dim % rank
        rows = input.unsqueeze(-1).transpose(dim, -1).sort(-1)[0]
        kept = list(input.shape)
        kept[dim] = 1
    lead = rows.dim() - 1
    last = rows.size(-1) - 1
    points = q.reshape(-1) if many else q.reshape(1)
    if ignore_nan:
        count = (~torch.isnan(rows.detach())).sum(-1, keepdim=True)
        ranks = (points * (count - 1)).clamp_min(0)
    else:
        ranks = points * last
        ranks = ranks.expand(list(rows.shape)[:-1] + [ranks.size(0)]) if lead > 0 else ranks
        missing = torch.isnan(rows.detach()).any(-1, keepdim=True)
        ranks = torch.where(missing, float(last), ranks)
    if interpolation == "lower":
        ranks = ranks.floor()
    elif interpolation == "higher":
        ranks = ranks.ceil()
    elif interpolation == "nearest":
        ranks = ranks.round()
    below = ranks.to(torch.int64)
    result = rows.gather(-1, below)
    if interpolation in ("linear", "midpoint"):
        weights = torch.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
        above = ranks.ceil().to(torch.int64)
        result = result.lerp(rows.gather(-1, above), weights)
    if dim is None:
        result = result.view(kept + [result.size(-1)]) if keepdim else result
    elif rank > 0:
        result = result if keepdim else result.squeeze(dim)
    result = result.movedim(-1, 0) if many else result.squeeze(-1)
    return _nn.renamed(result, "SqueezeBackward4")


def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    return _quantile("quantile", input, q, dim, keepdim, interpolation, False)


def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, True)


def cov(input, *, correction=1, fweights=None, aweights=None):
    if input.dim() > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an input with {input.dim()} dimensions")
    if input.dtype == torch.bool:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input.reshape(1, -1) if input.dim() < 2 else input
    n = x.size(1)
    w = None
    if fweights is not None:
        w = fweights
    if aweights is not None:
        w = aweights if w is None else w * aweights
    total = n if w is None else w.sum()
    mean = x.sum(1) / n if w is None else (x * w).sum(1) / total
    if w is None:
        norm = n - correction
    elif correction == 0:
        norm = total
    elif aweights is None:
        norm = total - correction
    else:
        norm = total - correction * (w * aweights).sum() / total
    if isinstance(norm, torch.Tensor):
        norm = norm.clamp_min(0)
    elif norm <= 0:
        import warnings
        warnings.warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.")
        norm = 0
    centred = x - mean.unsqueeze(1)
    result = torch.mm(centred, (centred if w is None else centred * w).t())
    return (result / norm).squeeze()


def corrcoef(input):
    if input.dim() > 2:
        raise RuntimeError(f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.dim()} dimensions")
    c = cov(input)
    if c.dim() == 0:
        return c / c
    deviations = torch.sqrt(c.diag())
    return (c / deviations.view(-1, 1) / deviations.view(1, -1)).clamp(-1, 1)


def trapezoid(y, x=None, *, dx=None, dim=-1):
    size = y.size(dim)
    if x is None:
        step = 1 if dx is None else dx
        if size == 0:
            return y.sum(dim)
        ends = (y.select(dim, 0) + y.select(dim, -1)) * 0.5
        return _nn.renamed((y.sum(dim) - ends) * step, "MulBackward1")
    if x.dim() == 1:
        shape = [1] * y.dim()
        shape[dim] = x.size(0)
        x = x.view(shape)
    widths = x.narrow(dim, 1, x.size(dim) - 1) - x.narrow(dim, 0, x.size(dim) - 1)
    heights = y.narrow(dim, 0, size - 1) + y.narrow(dim, 1, size - 1)
    return _nn.renamed((widths * heights).sum(dim) / 2.0, "DivBackward1")


def trapz(y, x=None, *, dx=None, dim=-1):
    return trapezoid(y, x, dx=dx, dim=dim)


def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    size = y.size(dim)
    heights = y.narrow(dim, 0, size - 1) + y.narrow(dim, 1, size - 1)
    if x is None:
        return (heights * ((1 if dx is None else dx) / 2.0)).cumsum(dim)
    if x.dim() == 1:
        shape = [1] * y.dim()
        shape[dim] = x.size(0)
        x = x.view(shape)
    widths = x.narrow(dim, 1, x.size(dim) - 1) - x.narrow(dim, 0, x.size(dim) - 1)
    return (widths * heights / 2.0).cumsum(dim)


def dist(input, other, p=2):
    return _nn.renamed((input - other).norm(p), "DistBackward0")


def renorm(input, p, dim, maxnorm):
    dims = [d for d in range(input.dim()) if d != dim % input.dim()]
    norms = input.norm(p, dims, keepdim=True)
    factor = torch.where(norms > maxnorm, maxnorm / (norms + 1e-7), 1.0)
    return _nn.renamed(input * factor, "RenormBackward0")


def _gradient_along(input, dim, spacing, edge_order):
    n = input.size(dim)
    if n < edge_order + 1:
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")

    def part(start, length):
        return input.narrow(dim, start, length)

    if isinstance(spacing, torch.Tensor) and spacing.dim() == 1:
        shape = [1] * input.dim()
        shape[dim] = -1
        gaps = (spacing[1:] - spacing[:-1]).view(shape)
        before, behind = gaps.narrow(dim, 0, n - 2), gaps.narrow(dim, 1, n - 2)
        a = -behind / (before * (before + behind))
        b = (behind - before) / (before * behind)
        c = before / (behind * (before + behind))
        middle = a * part(0, n - 2) + b * part(1, n - 2) + c * part(2, n - 2)
        first, last = gaps.narrow(dim, 0, 1), gaps.narrow(dim, n - 2, 1)
        if edge_order == 1:
            return torch.cat([(part(1, 1) - part(0, 1)) / first, middle, (part(n - 1, 1) - part(n - 2, 1)) / last], dim)
        second, third = gaps.narrow(dim, 1, 1), gaps.narrow(dim, n - 3, 1)
        front = -(2 * first + second) / (first * (first + second)) * part(0, 1) + (first + second) / (first * second) * part(1, 1) - first / (second * (first + second)) * part(2, 1)
        back = last / (third * (third + last)) * part(n - 3, 1) - (third + last) / (third * last) * part(n - 2, 1) + (2 * last + third) / (last * (third + last)) * part(n - 1, 1)
        return torch.cat([front, middle, back], dim)
    middle = (part(2, n - 2) - part(0, n - 2)) / (2 * spacing)
    if edge_order == 1:
        front, back = (part(1, 1) - part(0, 1)) / spacing, (part(n - 1, 1) - part(n - 2, 1)) / spacing
    else:
        front = (-1.5 * part(0, 1) + 2 * part(1, 1) - 0.5 * part(2, 1)) / spacing
        back = (1.5 * part(n - 1, 1) - 2 * part(n - 2, 1) + 0.5 * part(n - 3, 1)) / spacing
    return torch.cat([front, middle, back], dim)


def gradient(input, *, spacing=1, dim=None, edge_order=1):
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    dims = list(range(input.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    spacings = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * len(dims)
    if len(spacings) != len(dims):
        raise RuntimeError(f"torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the same length, but got a spacing argument of length {len(spacings)} and a dim argument of length {len(dims)}.")
    return tuple([_gradient_along(input, d % input.dim(), s, edge_order) for d, s in zip(dims, spacings)])


def histogram(input, bins, *, range=None, weight=None, density=False):
    if not input.is_floating_point():
        kind = {torch.int64: "Long", torch.int32: "Int", torch.int16: "Short", torch.int8: "Char", torch.uint8: "Byte", torch.bool: "Bool"}[input.dtype]
        raise NotImplementedError(f'"histogramdd" not implemented for \'{kind}\'')
    flat = input.reshape(-1)
    if isinstance(bins, torch.Tensor):
        edges = bins
    else:
        if bins <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
        if range is not None:
            edges = torch.linspace(range[0], range[1], bins + 1, dtype=input.dtype)
        else:
            low, high = flat.min(), flat.max()
            same = low == high
            low, high = torch.where(same, low - 0.5, low), torch.where(same, high + 0.5, high)
            edges = low + (high - low) * (torch.arange(bins + 1, dtype=input.dtype) / bins)
    count = edges.size(0) - 1
    place = torch.searchsorted(edges, flat, right=True) - 1
    place = torch.where(flat == edges[-1], count - 1, place)
    inside = (flat >= edges[0]) & (flat <= edges[-1])
    amount = torch.where(inside, 1.0 if weight is None else weight.reshape(-1), 0.0).to(input.dtype)
    hist = torch.zeros(count, dtype=input.dtype).index_add_(0, place.clamp(0, count - 1), amount)
    if density:
        hist = hist / (hist.sum() * (edges[1:] - edges[:-1]))
    return _nn.return_type("histogram", hist, edges)
