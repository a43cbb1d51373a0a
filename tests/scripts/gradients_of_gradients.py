# Which gradients have a history of their own, and how often.
import torch

x = torch.tensor([2.0], requires_grad=True)
w = torch.tensor([5.0], requires_grad=True)
g, = torch.autograd.grad(x ** 3, x, create_graph=True)
h, = torch.autograd.grad(g, x, create_graph=True)
k, = torch.autograd.grad(h, x, create_graph=True)
print(g, h, k)
for loss in (lambda: x * 3, lambda: x.exp(), lambda: (x ** 2).mean(), lambda: torch.tanh(x), lambda: (x * w).sum(), lambda: x.log(), (lambda: x * x)):
    g, = torch.autograd.grad(loss(), x, create_graph=True)
    print(g)
g, = torch.autograd.grad(x.exp(), x, create_graph=True)
for _ in range(3):
    g, = torch.autograd.grad(g, x, create_graph=True)
    print(g.requires_grad, g.item())
for loss in (lambda: (x ** 2).sum(), lambda: (x * 2).sum()):
    x.grad = None
    loss().backward(create_graph=True)
    print(x.grad)
leaf = torch.arange(6.0).view(2, 3).t().requires_grad_()
(leaf * torch.arange(6.0).view(3, 2)).sum().backward()
print(leaf.grad)
part = torch.arange(8.0)[2:7:2].requires_grad_()
g, = torch.autograd.grad((part ** 3).sum(), part, create_graph=True)
g.sum().backward()
print(part.grad)
pooled = torch.arange(4.0).view(1, 1, 2, 2).requires_grad_()
torch.nn.functional.avg_pool2d(pooled, 2).sum().backward()
print(pooled.grad)
y = torch.ones(2, requires_grad=True) // 2
print(y)
y.sum().backward()
