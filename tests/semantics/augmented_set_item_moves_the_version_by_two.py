import torch
a = torch.zeros(3)
a[0] += 1
print(a._version, a)
a[1] = 5
print(a._version)
a.squeeze_()
print(a._version)
a.add_(1)
a[3:] = 7
print(a._version, a)
b = torch.zeros(2, 3)
b.t_()
print(b._version, b.shape)
