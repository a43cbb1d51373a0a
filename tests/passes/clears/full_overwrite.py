import torch

torch.manual_seed(0)
a = torch.rand(4, 8)
x = torch.zeros(4, 8)
x.copy_(a)
y = torch.zeros(4, 8)
torch.mul(a, 2, out=y)
z = torch.zeros(4, 8)
z[:] = a
w = torch.zeros(4, 8)
w.fill_(3.0)
print(x + y + z + w)
