import torch
import torch.nn.functional as F

torch.manual_seed(0)


# Convolutions: stride, padding, dilation, groups, one to three axes; windows that overlap.
def convolution(function, x, w, **options):
    x, w = x.requires_grad_(), w.requires_grad_()
    y = function(x, w, **options)
    (y * torch.arange(y.numel()).view(y.shape).sub(7).div(64)).sum().backward()
    print(tuple(y.shape), y.sum(), x.grad.abs().sum(), w.grad.abs().sum())


def numbers(*sizes):
    return torch.randint(-4, 5, sizes).float()


convolution(F.conv2d, numbers(2, 3, 9, 20), numbers(4, 3, 3, 3), padding=1)
convolution(F.conv2d, numbers(2, 4, 9, 11), numbers(6, 2, 3, 2), stride=2, groups=2)
convolution(F.conv2d, numbers(1, 2, 8, 35), numbers(3, 2, 2, 3), dilation=(1, 2), padding=(0, 3))
convolution(F.conv1d, numbers(3, 2, 40), numbers(5, 2, 4), stride=3, padding=2)
convolution(F.conv3d, numbers(1, 2, 5, 4, 18), numbers(2, 2, 2, 3, 3), padding=1)
convolution(F.conv_transpose2d, numbers(2, 3, 5, 19), numbers(3, 2, 3, 3), stride=2, padding=1)

# Pools whose windows lie apart and over each other; ties go to the first, NaN wins.
x = numbers(2, 2, 8, 36)
x[0, 0, 3, 5] = float("nan")
for kernel, stride, padding in ((2, 2, 0), (3, 1, 1), (3, 2, 0), ((1, 5), (1, 4), 0)):
    a = x.clone().requires_grad_()
    y = F.max_pool2d(a, kernel, stride, padding)
    y.nan_to_num().mul(torch.arange(y.numel()).view(y.shape) % 11).sum().backward()
    print(tuple(y.shape), y.isnan().sum(), y.nan_to_num().sum(), a.grad.sum(), a.grad.abs().amax(), a.grad[0, 0, 3])
    b = x.nan_to_num().requires_grad_()
    F.avg_pool2d(b, kernel, stride, padding).mul(8).sum().backward()
    print(b.grad.sum().round())

# Axes of up to eight elements: sums, extrema and their places, softmax, norms.
for n in (1, 2, 3, 5, 7, 8, 9):
    t = numbers(21, n)
    t[4, n // 2] = float("nan")
    u = t.nan_to_num(0.5)
    print(n, u.sum(-1).sum(), u.prod(-1).abs().sum(), u.amax(-1).sum(), t.amin(-1).isnan().sum(), t.argmax(-1).sum(), t.argmin(-1).sum(), (u > 0).any(-1).sum(), (u > -3).all(-1).sum())
    values, places = u.max(-1)
    print(values.sum(), places.sum(), u.softmax(-1).sum().round(), u.softmax(-1).argmax(-1).sum(), u.double().sum(-1).sum(), u.int().sum(-1).sum())
z = torch.full((20, 4), -0.0)
print(torch.signbit(z.sum(-1)).any(), torch.signbit(z.amax(-1)).all())
