import torch
def first_positive(x):
    idx = torch.nonzero(x > 0)
    if idx.numel() == 0:
        return -1
    return idx[0].item()
print(first_positive(torch.tensor([-1., 2., 3.])), first_positive(torch.tensor([-1.])))
x = torch.tensor([4, 1, 3, 1])
print((x == 1).nonzero(as_tuple=True)[0])
print((x == 1).nonzero()[:, 0].tolist(), x[x == 1].sum().item(), x[x > 100].sum().item())
mask = torch.zeros(4, dtype=torch.bool)
mask[torch.tensor([0, 2])] = True
print(x[mask], x[~mask], mask.sum().item())
y = torch.zeros(4)
y[mask] = x[mask].float() * 2
print(y)
y[~mask] -= 1
print(y)
z = torch.zeros(4, 2)
z[mask] = torch.tensor([1., 2.])
z[mask, 1] = 7
print(z)
z[x == 1, :1] = 3.
print(z)
u, c = x.unique(return_counts=True)
e = x[x > 3]
print(e.item(), float(e), int(e), bool(e > 1))
print("no" if x[x > 9].numel() else "empty", x[x > 9].shape)
s = torch.tensor([0.1, 0.7, 0.9])
keep = s > 0.5
boxes = torch.arange(12.).view(3, 4)
print(boxes[keep], boxes[keep][:, 2:] - boxes[keep][:, :2], s[keep].argsort(descending=True))
i = torch.randperm(3)[:int(keep.sum())]
print(i.shape)
