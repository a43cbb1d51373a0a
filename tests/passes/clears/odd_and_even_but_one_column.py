import torch

torch.manual_seed(0)
a = torch.rand(4, 5)
x = torch.zeros(4, 10)
x[:, ::2] = a
x[:, 3::2] = a[:, 1:] + 1
print(x)
