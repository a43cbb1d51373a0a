import torch
w = torch.ones(2, requires_grad=True)
x = torch.ones(2)
for i in range(99):
    x.add_(1)
y = (w * x).sum()
x.add_(1)
try:
    y.backward()
except RuntimeError as e:
    print(e)
