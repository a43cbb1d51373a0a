import torch

torch.manual_seed(0)
a = torch.rand(8)
i = torch.tensor([2, 5])
s = torch.ones(8)
for k in range(100):
    t = torch.zeros(8)
    t.index_add_(0, i, a[:2] * k)
    s = s * 0.5 + t
print(s)
