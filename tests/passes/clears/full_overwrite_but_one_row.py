import torch

torch.manual_seed(0)
a = torch.rand(4, 8)
x = torch.zeros(4, 8)
x[1:].copy_(a[1:])
print(x)
