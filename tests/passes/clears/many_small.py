import torch

torch.manual_seed(0)
i = torch.tensor([1, 2])
parts = [torch.zeros(16) for _ in range(5)]
for k, p in enumerate(parts):
    p.index_add_(0, i, torch.rand(2))
print(sum(p.sum().item() for p in parts))
