# What `.data` wrote over a saved value is what PyTorch's gradient reads.
import torch
import torch.nn.functional as F

for forward, write in ((lambda h: (h * h).sum(), lambda h: h.data.mul_(3)), (lambda h: h.exp().sum(), lambda h: h.data.zero_()), (lambda h: F.mse_loss(h, torch.zeros(2)), lambda h: h.data.zero_()),
                       (lambda h: h.std(), lambda h: h.data.copy_(torch.tensor([1.0, 5.0]))), (lambda h: F.gelu(h).sum(), lambda h: h.data.zero_()), (lambda h: h.norm(), lambda h: h.data.fill_(1)),
                       (lambda h: (h @ torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)).sum(), lambda h: h.data.fill_(1))):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    y = forward(h)
    write(h)
    y.backward()
    print(x.grad)
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x.exp()
y = h.sum()
h.data.zero_()
y.backward()
print(x.grad)
w = torch.tensor([2.0, 3.0], requires_grad=True)
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * w).sum()
x.data.mul_(10)
y.backward(retain_graph=True)
print(x.grad, w.grad)
x.data[0] = 7.0
print(torch.autograd.grad(y, w))
