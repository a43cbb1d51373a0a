import torch
w = torch.full((2,), 3.0, requires_grad=True)
a = torch.ones(2, requires_grad=True)
b = a * 2
b.mul_(w)
b.sum().backward()
print(w.grad, a.grad)
a.grad = None
b = a * 2
b.mul_(b)
try:
    b.sum().backward()
except RuntimeError as e:
    print(e)
