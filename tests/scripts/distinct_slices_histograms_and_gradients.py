# Distinct slices, counts in bins, differences along axes, reductions at indices, draws of zeros and ones.
import torch

t = torch.tensor([[1, 2], [1, 2], [0, 1]])
print(torch.unique(t, dim=0, return_inverse=True, return_counts=True))
print(t.unique(dim=1), torch.unique_consecutive(t, dim=0, return_counts=True))
print(torch.histogram(torch.tensor([1.0, 2.0, 1.0]), 2, range=(0.0, 2.0)))
print(torch.histogram(torch.tensor([1.0, 2.0, 1.0]), torch.tensor([0.0, 1.0, 3.0]), weight=torch.tensor([1.0, 2.0, 4.0]), density=True))
x = torch.arange(6.0).view(2, 3) ** 2
print(torch.gradient(x), torch.gradient(x, dim=1, edge_order=2), torch.gradient(x[0], spacing=(torch.tensor([0.0, 1.0, 3.0]),)))
print(torch.ones(2).index_reduce(0, torch.tensor([1]), torch.tensor([5.0]), "mean"), torch.ones(2, 2).index_reduce_(0, torch.tensor([0, 0]), torch.full((2, 2), 2.0), "prod"))
print(torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([0.5, 3.5])))
torch.manual_seed(0)
print(torch.zeros(3, dtype=torch.int64).bernoulli(0.5), torch.bernoulli(torch.tensor([0.5, 1.0])), torch.bernoulli(torch.zeros(2), p=1.0))


def refused(what):
    try:
        what()
    except Exception as e:
        print(type(e).__name__, e)


refused(lambda: torch.bernoulli(torch.tensor([1])))
refused(lambda: torch.bernoulli(torch.zeros(2), 2.0))
refused(lambda: torch.histc(torch.tensor([1.0]), bins=0))
refused(lambda: torch.gradient(torch.tensor([1.0])))
refused(lambda: torch.zeros(2).cuda())
refused(lambda: torch.cuda.get_device_properties(0))
refused(lambda: torch.cuda.set_device("cpu"))
print(torch.cuda.device(0).idx, torch.cuda.device("cuda:1").idx, torch.cuda.device(None).idx)
print([x.shape], {"size": t.size()}, (torch.Size([]),), [torch.max(t, 0)])
