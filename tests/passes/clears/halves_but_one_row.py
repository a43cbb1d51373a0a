import torch

torch.manual_seed(0)
a = torch.rand(8, 8)
x = torch.zeros(8, 8)
x[:4] = a[:4]
x[5:] = a[5:] * 2
print(x)
