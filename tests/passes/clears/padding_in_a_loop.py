import torch

torch.manual_seed(0)
a = torch.rand(100, 8)
x = torch.zeros(102, 8)
for i in range(100):
    x[i + 1] = a[i] * i
print(x.sum().item(), x[0], x[101])
