import torch
import torch.nn.functional as F

torch.set_printoptions(precision=3, sci_mode=False)
image = (torch.arange(50.0).reshape(1, 2, 5, 5) * 7 % 11).requires_grad_()
signal = (torch.arange(14.0).reshape(1, 2, 7) * 5 % 9).requires_grad_()
volume = (torch.arange(27.0).reshape(1, 1, 3, 3, 3) * 5 % 7).requires_grad_()


def show(name, y, x):
    print(name, y)
    print(torch.autograd.grad(y.square().sum(), x)[0])


show("max ceil", F.max_pool2d(image, 2, ceil_mode=True), image)
values, places = F.max_pool2d(image, 3, 2, 1, return_indices=True)
print(places)
show("max indices", values, image)
show("unpool", F.max_unpool2d(*F.max_pool2d(image, 2, return_indices=True), 2, output_size=(5, 5)), image)
show("max 1d", F.max_pool1d(signal, 3, 2, ceil_mode=True), signal)
print(F.max_pool1d(signal, 2, return_indices=True)[1])
show("max 3d", F.max_pool3d(volume, 2, 1), volume)
show("avg 1d", F.avg_pool1d(signal, 3, 2, 1, ceil_mode=True), signal)
show("avg 2d", F.avg_pool2d(image, 2, ceil_mode=True), image)
show("avg padding", F.avg_pool2d(image, 3, 2, 1, ceil_mode=True, count_include_pad=False), image)
show("avg 3d", F.avg_pool3d(volume, 2, 1), volume)
show("adaptive avg", F.adaptive_avg_pool2d(image, (3, 2)), image)
show("adaptive avg 1d", F.adaptive_avg_pool1d(signal, 3), signal)
show("adaptive max", F.adaptive_max_pool2d(image, 3), image)
print(F.adaptive_max_pool1d(signal, 3, return_indices=True))
show("lp", F.lp_pool2d(image, 2, 2), image)
kernel = (torch.arange(12.0).reshape(2, 1, 6)[:, :, :3] / 4 - 1).requires_grad_()
show("transposed 1d", F.conv_transpose1d(signal, kernel, torch.tensor([0.5]), stride=2, padding=1, output_padding=1), signal)
print(torch.autograd.grad(F.conv_transpose1d(signal, kernel, stride=2).square().sum(), kernel)[0])
kernel = (torch.arange(16.0).reshape(2, 2, 2, 2) % 5 - 2).requires_grad_()
show("transposed 2d", F.conv_transpose2d(image, kernel, stride=(2, 1), dilation=2), image)
print(torch.autograd.grad(F.conv_transpose2d(image, kernel[:, :1], groups=2).square().sum(), kernel)[0])
kernel = (torch.arange(8.0).reshape(1, 1, 2, 2, 2) % 3 - 1).requires_grad_()
show("3d", F.conv3d(volume, kernel, padding=1), volume)
show("unfold", F.unfold(image, 2, stride=3), image)
show("fold", F.fold(torch.ones(1, 8, 4, requires_grad=True) * image.sum(), (3, 3), 2), image)
for mode in ("reflect", "replicate", "circular"):
    show(mode, F.pad(signal, (2, 1), mode=mode), signal)
for broken in (lambda: F.max_pool2d(image, 2, padding=2), lambda: F.conv_transpose1d(signal, torch.ones(3, 1, 2)), lambda: F.max_pool2d(torch.ones(3), 2)):
    try:
        print(broken())
    except Exception as e:
        print(type(e).__name__, e)
