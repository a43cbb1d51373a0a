import torch
import torch.nn.functional as F
x = torch.tensor([3, 1, 2, 0, 1])
print(torch.bincount(x), torch.bincount(x, minlength=6), torch.bincount(x, weights=torch.ones(5)))
print(F.one_hot(x))
print(F.one_hot(torch.tensor([0, 2])))
print(torch.repeat_interleave(torch.tensor([1., 2., 3.]), torch.tensor([2, 0, 3])))
print(torch.tensor([[1, 2], [3, 4]]).repeat_interleave(torch.tensor([1, 2]), dim=0))
print(torch.masked_select(x, x > 1))
v, inv, c = torch.unique(x, return_inverse=True, return_counts=True)
print(v, inv, c)
print(torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 1]), return_counts=True))
print(x.unique().shape, len(x.unique()))
