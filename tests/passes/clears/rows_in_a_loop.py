import torch

torch.manual_seed(0)
a = torch.rand(100, 8)
x = torch.zeros(100, 8)
for i in range(100):
    x[i] = a[i] * i
print(x.sum().item())
