"""The discrete Fourier transform of the last axis, by factors of its length.

The steps for 2, 4 and odd primes add and subtract mirrored elements before anything is multiplied, so that what is zero by symmetry comes out as
zero. Single precision is computed in double, and what is below its rounding is zero."""
import math
import torch


def _unit(k, n):
    """cos and sin of 2πk/n, exact at the multiples of an eighth of a turn."""
    k = k % n
    if 8 * k > n * 4:
        c, s = _unit(n - k, n)
        return c, -s
    if 4 * k > n:
        # The second quarter mirrors the first one: cos(π - a) = -cos a.
        a = math.pi * (n - 2 * k) / n
        return (0.0, 1.0) if 4 * k == n else (-1.0, 0.0) if 2 * k == n else (-math.cos(a), math.sin(a))
    if 4 * k == n:
        return 0.0, 1.0
    if 8 * k > n:
        a = math.pi * (n - 4 * k) / (2 * n)
        return math.sin(a), math.cos(a)
    a = 2 * math.pi * k / n
    return math.cos(a), math.sin(a)


def _factor(n):
    if n % 4 == 0:
        return 4
    p = 2
    while p * p <= n:
        if n % p == 0:
            return p
        p += 1
    return n


def _step(re, im, p):
    """The transforms of p rows each."""
    if p == 2:
        return [re[0] + re[1], re[0] - re[1]], [im[0] + im[1], im[0] - im[1]]
    if p == 4:
        ar, ai, br, bi = re[0] + re[2], im[0] + im[2], re[1] + re[3], im[1] + im[3]
        cr, ci, dr, di = re[0] - re[2], im[0] - im[2], re[1] - re[3], im[1] - im[3]
        return [ar + br, cr + di, ar - br, cr - di], [ai + bi, ci - dr, ai - bi, ci + dr]
    half = (p - 1) // 2
    plus = [(re[j] + re[p - j], im[j] + im[p - j]) for j in range(1, half + 1)]
    minus = [(re[j] - re[p - j], im[j] - im[p - j]) for j in range(1, half + 1)]
    out_re, out_im = [None] * p, [None] * p
    out_re[0], out_im[0] = re[0], im[0]
    for r, i in plus:
        out_re[0], out_im[0] = out_re[0] + r, out_im[0] + i
    for k in range(1, half + 1):
        even_re, even_im, odd_re, odd_im = re[0], im[0], 0.0, 0.0
        for j in range(half):
            c, s = _unit((j + 1) * k, p)
            even_re, even_im = even_re + c * plus[j][0], even_im + c * plus[j][1]
            odd_re, odd_im = odd_re + s * minus[j][1], odd_im - s * minus[j][0]
        out_re[k], out_im[k] = even_re + odd_re, even_im + odd_im
        out_re[p - k], out_im[p - k] = even_re - odd_re, even_im - odd_im
    return out_re, out_im


def transform(re, im):
    """Forward, without a factor."""
    n = re.size(-1)
    if n == 1:
        return re, im
    p = _factor(n)
    m = n // p
    batch = list(re.shape[:-1])
    re, im = re.reshape(batch + [m, p]).transpose(-1, -2), im.reshape(batch + [m, p]).transpose(-1, -2)
    if m > 1:
        re, im = transform(re, im)
        turns = [[_unit(j * k, n) for k in range(m)] for j in range(p)]
        c = torch.tensor([[t[0] for t in row] for row in turns], dtype=torch.float64)
        s = torch.tensor([[t[1] for t in row] for row in turns], dtype=torch.float64)
        re, im = re * c + im * s, im * c - re * s
    rows_re, rows_im = _step(re.unbind(-2), im.unbind(-2), p)
    return torch.stack(rows_re, -2).reshape(batch + [n]), torch.stack(rows_im, -2).reshape(batch + [n])


def without_noise(value, size):
    """Zero where a value is nothing but the rounding of elements in single precision that sum up to that size."""
    return torch.where(abs(value) <= 2.0 ** -25 * size, 0.0, value)
