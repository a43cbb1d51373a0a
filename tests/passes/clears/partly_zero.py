import torch

torch.manual_seed(0)
a = torch.rand(4, 8)
x = torch.rand(4, 8)
x[2:] = 0
print(x)
x[1:] = 0
print(x)
