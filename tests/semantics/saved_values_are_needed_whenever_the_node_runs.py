import torch
x = torch.ones(2, requires_grad=True)
w = torch.ones(2, requires_grad=True)
y = x * w
with torch.no_grad():
    x.add_(1)
try:
    print(torch.autograd.grad(y.sum(), x))
except RuntimeError as e:
    print(e)
