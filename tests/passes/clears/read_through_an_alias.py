import torch

torch.manual_seed(0)
a = torch.rand(8, 8)
x = torch.zeros(8, 8)
v = x[3]
print(v)
x.copy_(a)
print(x, v)
