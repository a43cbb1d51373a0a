import torch
x0 = torch.ones(2, requires_grad=True)
w = torch.full((2,), 2.0, requires_grad=True)
x = x0 * 1
d = x.detach()
d.mul_(w)
(x * 3 + d * 2).sum().backward()
print(x0.grad, w.grad, x, d)
