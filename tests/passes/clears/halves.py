import torch

torch.manual_seed(0)
a = torch.rand(4, 8)
x = torch.zeros(4, 8)
x[:2] = a[:2]
x[2:] = a[2:] * 2
print(x)
