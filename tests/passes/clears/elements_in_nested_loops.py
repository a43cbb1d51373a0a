import torch

x = torch.zeros(20, 30)
for i in range(20):
    for j in range(30):
        x[i, j] = i * 30 + j
print(x.sum().item())
