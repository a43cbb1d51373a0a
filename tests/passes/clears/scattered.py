import torch

torch.manual_seed(0)
x = torch.zeros(50, 8)
i = torch.tensor([1, 3, 3, 7])
x.index_add_(0, i, torch.rand(4, 8))
print(x.sum().item())
y = torch.zeros(50, 8)
y.scatter_add_(0, torch.tensor([[0], [5], [9], [0]]).expand(4, 8), torch.rand(4, 8))
print(y.sum().item())
