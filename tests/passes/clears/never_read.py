import torch

x = torch.zeros(6, 6)
x.add_(1)
y = torch.zeros(6, 6)
z = torch.zeros(5)
print(x)
x.zero_()
