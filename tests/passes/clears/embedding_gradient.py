import torch

torch.manual_seed(0)
table = torch.rand(50, 8, requires_grad=True)
i = torch.tensor([1, 3, 3, 7])
(table[i] ** 2).sum().backward()
print(table.grad.sum().item())
