import torch
w = torch.ones(3, requires_grad=True)
x = torch.ones(3, requires_grad=True) * 1
y = (x * w).sum()
x.zero_()
try:
    y.backward()
except RuntimeError as e:
    print(e)
x = torch.ones(3, requires_grad=True) * 1
y = (x * w).sum()
x.add_(1).mul_(2)
try:
    y.backward()
except RuntimeError as e:
    print(e)
