"""Images of other sizes: interpolation along one axis after the other, shuffles of pixels, sampling at a grid."""
import math
import torch
from torch import _nn
from torch.nn._windows import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d


# ---- interpolation

def _source(o, scale, align_corners):
    return o * scale if align_corners else (o + 0.5) * scale - 0.5


def _scale(size, wanted, factor, align_corners):
    """How far the source moves for one step of the result."""
    if align_corners:
        return (size - 1) / (wanted - 1) if wanted > 1 else 0.0
    return 1.0 / factor if factor is not None else size / wanted


def _nearest(input, dim, wanted, factor, exact):
    size = input.size(dim)
    scale = _scale(size, wanted, factor, False)
    if size == wanted and factor is None:
        return input
    shift = 0.5 if exact else 0.0
    places = [min(int((o + shift) * scale), size - 1) for o in range(wanted)]
    return input.index_select(dim, torch.tensor(places))


def _weights(values, input, dim):
    shape = [1] * input.dim()
    shape[dim] = len(values)
    return torch.tensor(values, dtype=input.dtype).view(shape)


def _linear(input, dim, wanted, factor, align_corners):
    size = input.size(dim)
    scale = _scale(size, wanted, factor, align_corners)
    lower, upper, parts = [], [], []
    for o in range(wanted):
        at = max(_source(o, scale, align_corners), 0.0)
        low = min(int(at), size - 1)
        lower.append(low)
        upper.append(min(low + 1, size - 1))
        parts.append(min(max(at - low, 0.0), 1.0))
    a, b = input.index_select(dim, torch.tensor(lower)), input.index_select(dim, torch.tensor(upper))
    return a * _weights([1.0 - p for p in parts], input, dim) + b * _weights(parts, input, dim)


def _cubic_near(x, a):
    return ((a + 2) * x - (a + 3)) * x * x + 1


def _cubic_far(x, a):
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


def _cubic(input, dim, wanted, factor, align_corners):
    size = input.size(dim)
    scale = _scale(size, wanted, factor, align_corners)
    a = -0.75
    places, weights = [[], [], [], []], [[], [], [], []]
    for o in range(wanted):
        at = _source(o, scale, align_corners)
        low = math.floor(at)
        t = at - low
        values = [_cubic_far(t + 1, a), _cubic_near(t, a), _cubic_near(1 - t, a), _cubic_far(2 - t, a)]
        for k in range(4):
            places[k].append(min(max(low - 1 + k, 0), size - 1))
            weights[k].append(values[k])
    total = None
    for k in range(4):
        part = input.index_select(dim, torch.tensor(places[k])) * _weights(weights[k], input, dim)
        total = part if total is None else total + part
    return total


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None, antialias=False):
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear")
    elif align_corners is None:
        align_corners = False
    axes = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if antialias:
        raise NotImplementedError("not supported: interpolate with antialias=True")
    factors = [None] * axes
    if size is not None:
        if isinstance(size, (list, tuple)):
            if len(size) != axes:
                raise ValueError(f"Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of {list(input.shape)[2:]} and output size of {size}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.")
            wanted = list(size)
        else:
            wanted = [size] * axes
    else:
        if isinstance(scale_factor, (list, tuple)):
            if len(scale_factor) != axes:
                raise ValueError(f"Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions of {list(input.shape)[2:]} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format.")
            factors = list(scale_factor)
        else:
            factors = [scale_factor] * axes
        wanted = [int(math.floor(input.size(2 + d) * factors[d])) for d in range(axes)]
        if recompute_scale_factor:
            factors = [None] * axes
    expected = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
    if mode in expected and expected[mode] != axes:
        if axes in (1, 2, 3) and mode != "bicubic":
            raise NotImplementedError(f"Got {axes + 2}D input, but {mode} mode needs {expected[mode] + 2}D input")
        raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got {mode})")
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[axes - 1](input, wanted)
    if mode in ("nearest", "nearest-exact"):
        exact = mode == "nearest-exact"
        whole = not exact and all([wanted[d] % input.size(2 + d) == 0 for d in range(axes)])
        if whole and axes < 3:
            return _nn.upsample_nearest(input, wanted)
        result = input
        for d in reversed(range(axes)):
            result = _nearest(result, 2 + d, wanted[d], factors[d], exact)
        return _nn.renamed(result, f"UpsampleNearest{'Exact' if exact else ''}{axes}DBackward0")
    if mode in ("linear", "bilinear", "trilinear"):
        result = input
        for d in reversed(range(axes)):
            result = _linear(result, 2 + d, wanted[d], factors[d], align_corners)
        return _nn.renamed(result, {"linear": "UpsampleLinear1DBackward0", "bilinear": "UpsampleBilinear2DBackward0", "trilinear": "UpsampleTrilinear3DBackward0"}[mode])
    if mode == "bicubic":
        result = input
        for d in reversed(range(axes)):
            result = _cubic(result, 2 + d, wanted[d], factors[d], align_corners)
        return _nn.renamed(result, "UpsampleBicubic2DBackward0")
    raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got {mode})")


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    import warnings
    warnings.warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    import warnings
    warnings.warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    import warnings
    warnings.warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


# ---- shuffles

def pixel_shuffle(input, upscale_factor):
    r = upscale_factor
    if input.dim() < 3:
        raise RuntimeError(f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {input.dim()} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    c, h, w = input.size(-3), input.size(-2), input.size(-1)
    if c % (r * r) != 0:
        raise RuntimeError(f"pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but input.size(-3)={c} is not divisible by {r * r}")
    batch = list(input.shape)[:-3]
    n = len(batch)
    pieces = input.reshape(batch + [c // (r * r), r, r, h, w])
    pieces = pieces.permute(list(range(n)) + [n, n + 3, n + 1, n + 4, n + 2])
    return _nn.renamed(pieces.reshape(batch + [c // (r * r), h * r, w * r]), "PixelShuffleBackward0")


def pixel_unshuffle(input, downscale_factor):
    r = downscale_factor
    if input.dim() < 3:
        raise RuntimeError(f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {input.dim()} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    c, h, w = input.size(-3), input.size(-2), input.size(-1)
    if h % r != 0:
        raise RuntimeError(f"pixel_unshuffle expects height to be divisible by downscale_factor, but input.size(-2)={h} is not divisible by {r}")
    if w % r != 0:
        raise RuntimeError(f"pixel_unshuffle expects width to be divisible by downscale_factor, but input.size(-1)={w} is not divisible by {r}")
    batch = list(input.shape)[:-3]
    n = len(batch)
    pieces = input.reshape(batch + [c, h // r, r, w // r, r])
    pieces = pieces.permute(list(range(n)) + [n, n + 2, n + 4, n + 1, n + 3])
    return _nn.renamed(pieces.reshape(batch + [c * r * r, h // r, w // r]), "PixelUnshuffleBackward0")


def channel_shuffle(input, groups):
    n, c = input.size(0), input.size(1)
    if c % groups != 0:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {c} channels and {groups} groups.")
    rest = list(input.shape)[2:]
    pieces = input.reshape([n, groups, c // groups] + rest)
    return _nn.renamed(pieces.transpose(1, 2).reshape(input.shape), "ChannelShuffleBackward0")


def native_channel_shuffle(input, groups):
    return channel_shuffle(input, groups)


# ---- sampling

def affine_grid(theta, size, align_corners=None):
    if align_corners is None:
        import warnings
        warnings.warn("Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for details.")
        align_corners = False
    axes = list(size)[2:]
    points = []
    for n in axes:
        line = torch.linspace(-1, 1, n, dtype=theta.dtype) if n > 1 else torch.zeros(1, dtype=theta.dtype)
        points.append(line if align_corners else line * ((n - 1) / n))
    grids = torch.meshgrid(*points, indexing="ij")
    base = torch.stack(list(reversed(grids)) + [torch.ones_like(grids[0])], -1)
    flat = base.view(1, -1, len(axes) + 1).expand(theta.size(0), -1, -1)
    return _nn.renamed(flat.bmm(theta.transpose(1, 2)).view([theta.size(0)] + axes + [len(axes)]), "AffineGridGeneratorBackward0")


def _place(x, size, padding_mode, align_corners):
    """A coordinate in [-1, 1] as a place along an axis."""
    x = (x + 1) / 2 * (size - 1) if align_corners else ((x + 1) * size - 1) / 2
    if padding_mode == "border":
        return x.clamp(0, size - 1)
    if padding_mode == "reflection":
        low, span = (0.0, 2.0 * (size - 1)) if align_corners else (-0.5, 2.0 * size)
        if size == 1 and align_corners:
            return x * 0
        away = (x - low).abs() % span
        x = torch.where(away > span / 2, span - away, away) + low
        return x.clamp(0, size - 1)
    return x


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    if mode not in ("bilinear", "nearest"):
        raise NotImplementedError(f"not supported: grid_sample with mode='{mode}'")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(f"nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '{padding_mode}'")
    if input.dim() != 4:
        raise NotImplementedError("not supported: grid_sample but for four axes")
    if align_corners is None:
        import warnings
        warnings.warn("Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for details.")
        align_corners = False
    n, c, h, w = input.shape
    x = _place(grid[..., 0], w, padding_mode, align_corners)
    y = _place(grid[..., 1], h, padding_mode, align_corners)
    flat = input.reshape(n, c, h * w)

    def at(row, column):
        inside = (row >= 0) & (row < h) & (column >= 0) & (column < w)
        place = row.clamp(0, h - 1).long() * w + column.clamp(0, w - 1).long()
        values = flat.gather(2, place.reshape(n, 1, -1).expand(n, c, -1)).view([n, c] + list(row.shape)[1:])
        return torch.where(inside.unsqueeze(1), values, 0.0)

    if mode == "nearest":
        result = at(y.detach().round(), x.detach().round())
    else:
        left, top = x.detach().floor(), y.detach().floor()
        dx, dy = (x - left).unsqueeze(1), (y - top).unsqueeze(1)
        result = (at(top, left) * ((1 - dx) * (1 - dy)) + at(top, left + 1) * (dx * (1 - dy)) + at(top + 1, left) * ((1 - dx) * dy)
                  + at(top + 1, left + 1) * (dx * dy))
    return _nn.renamed(result, "GridSampler2DBackward0")
