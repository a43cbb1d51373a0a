import torch
x = torch.ones(3)
y = torch.zeros(3)
k = 0
while k < 4 and x.sum().item() < 20:
    k += 1
    x, y = x * 2, x
print(k, x, y)
