import torch

torch.manual_seed(0)
a = torch.rand(8, 8)
x = torch.zeros(8, 8)
print(x)
x.copy_(a)
print(x)
