import torch

torch.manual_seed(0)
y = torch.rand(4)
t = torch.zeros(100, 4)
t[0] = y
for i in range(1, 100):
    t[i] = t[i - 1] * 0.9
print(t.sum().item())
