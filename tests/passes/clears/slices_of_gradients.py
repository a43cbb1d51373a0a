import torch

torch.manual_seed(0)
x = torch.rand(6, 4, requires_grad=True)
y = (x[:3] * 2).sum() + (x[3:] * 3).sum()
y.backward()
print(x.grad)
