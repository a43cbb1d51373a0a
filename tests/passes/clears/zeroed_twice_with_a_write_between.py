import torch

x = torch.zeros(4, 8)
x[2, 3] = 1.0
x[1:3].zero_()
print(x)
