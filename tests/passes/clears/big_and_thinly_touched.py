import torch

x = torch.zeros(512, 520)
i = torch.tensor([1, 2])
x.index_add_(0, i, torch.ones(2, 520))
print(x[1].sum().item(), x[5, 5].item())
