import torch

torch.manual_seed(0)
t = torch.zeros(100, 4)
for i in range(1, 100):
    t[i] = t[i - 1] * 0.9 + 1
print(t.sum().item())
