import torch
a = torch.ones(2, requires_grad=True)
b = a * 2
with torch.no_grad():
    b.mul_(10).add_(7)
(b * 3).sum().backward()
print(a.grad, b)
