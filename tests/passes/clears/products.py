import torch

torch.manual_seed(0)
a = torch.rand(8, 16)
b = torch.rand(16, 4)
c = torch.zeros(8, 4)
c.addmm_(a, b)
print(c)
d = torch.zeros(2, 8, 4)
d.baddbmm_(torch.rand(2, 8, 16), torch.rand(2, 16, 4))
print(d)
e = torch.zeros(8, 4)
e += a @ b
print(e)
