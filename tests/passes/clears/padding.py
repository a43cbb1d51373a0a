import torch

torch.manual_seed(0)
a = torch.rand(6, 6)
x = torch.zeros(8, 8)
x[1:-1, 1:-1] = a
print(x)
