import torch
import torch.nn.functional as F

torch.set_printoptions(precision=3, sci_mode=False)
image = (torch.arange(24.0).reshape(1, 2, 3, 4) * 5 % 7).requires_grad_()
signal = (torch.arange(8.0).reshape(1, 2, 4) * 3 % 5).requires_grad_()


def show(name, y, x):
    print(name, y)
    print(torch.autograd.grad((y * y).sum(), x)[0])


show("nearest", F.interpolate(image, scale_factor=2), image)
show("nearest size", F.interpolate(image, size=(2, 5)), image)
show("nearest exact", F.interpolate(image, size=(2, 5), mode="nearest-exact"), image)
show("linear", F.interpolate(signal, size=7, mode="linear"), signal)
show("bilinear", F.interpolate(image, scale_factor=1.5, mode="bilinear"), image)
show("bilinear corners", F.interpolate(image, size=(5, 5), mode="bilinear", align_corners=True), image)
show("bicubic", F.interpolate(image, size=(4, 6), mode="bicubic"), image)
show("area", F.interpolate(image, size=(2, 3), mode="area"), image)
channels = (torch.arange(32.0).reshape(1, 8, 2, 2) % 5).requires_grad_()
show("shuffle", F.pixel_shuffle(channels, 2), channels)
show("unshuffle", F.pixel_unshuffle(channels, 2), channels)
show("channels", F.channel_shuffle(channels, 4), channels)
theta = torch.tensor([[[1.0, 0.2, 0.1], [-0.2, 0.9, 0.0]]], requires_grad=True)
grid = F.affine_grid(theta, (1, 2, 3, 3), align_corners=False)
print(grid)
for padding in ("zeros", "border", "reflection"):
    show(padding, F.grid_sample(image, grid.detach() * 1.3, padding_mode=padding, align_corners=False), image)
print(torch.autograd.grad(F.grid_sample(image, grid, align_corners=True).sum(), theta)[0])
print(F.grid_sample(image, grid, mode="nearest", align_corners=False))
print(F.instance_norm(image).detach() + 0.0)
show("response", F.local_response_norm(image, 2), image)
for broken in (lambda: F.interpolate(image), lambda: F.interpolate(image, size=3, scale_factor=2), lambda: F.pixel_shuffle(image, 2),
               lambda: F.interpolate(signal, scale_factor=2, mode="bilinear"), lambda: F.interpolate(image, scale_factor=2, align_corners=True)):
    try:
        print(broken())
    except Exception as e:
        print(type(e).__name__, e)
