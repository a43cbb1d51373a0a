import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

m = nn.Linear(2, 1)
m.weight.data.fill_(1)
m.bias.data.fill_(0)
h = m.register_full_backward_hook(lambda mod, gi, go: print("hook", gi, go))
x = torch.ones(1, 2, requires_grad=True)
y = m(x)
print(y)
y.sum().backward()
print(x.grad)
y = m(x * 2)
y.sum().backward()
print(x.grad)
h.remove()
h = m.register_full_backward_hook(lambda mod, gi, go: (gi[0] * 10,))
x.grad = None
m(x).sum().backward()
print(x.grad)
h.remove()
h = m.register_full_backward_pre_hook(lambda mod, go: (go[0] * 5,))
x.grad = m.weight.grad = None
m(x).sum().backward()
print(x.grad, m.weight.grad)
h.remove()
h = m.register_full_backward_hook(lambda mod, gi, go: print("hook", gi, go))
m(torch.ones(1, 2)).sum().backward()
h.remove()
print(m(x))
y = checkpoint(lambda a: (a * 3).exp(), x, use_reentrant=False)
y.sum().backward()
print(y, x.grad)
