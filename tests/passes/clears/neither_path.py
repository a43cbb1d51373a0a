import torch

torch.manual_seed(0)
a = torch.rand(8)
x = torch.zeros(8)
if a.sum().item() > 30:
    x.copy_(a)
else:
    x[:4] = 1
    x[4:] = a[4:]
print(x)
