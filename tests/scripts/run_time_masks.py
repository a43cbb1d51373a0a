import torch
x = torch.arange(12.0).view(3, 4) - 5
print(x[x > 0])
print(x[x > 0].shape, len(x[x > 0]))
m = torch.tensor([True, False, True])
print(x[m], x[m].shape)
print(x[m, 1], x[m][:, 1:3])
print(x[:, torch.tensor([True, False, False, True])])
x[x < 0] = 0
print(x)
x[m] += 10
print(x)
x[x > 5] *= 2
print(x)
y = x[x > 100]
print(y, y.shape, y.sum(), y.numel())
print(x[x > 3].mean(), x[x > 3].max(), x[x > 3].std())
x = torch.tensor([[0., 1, 0], [2, 0, 3]])
print(x.nonzero())
print(torch.nonzero(x, as_tuple=True))
r, c = torch.where(x > 0)
print(r, c)
print(x[r, c])
print(torch.nonzero(x == 7), torch.nonzero(x == 7).shape)
i = torch.nonzero(x.flatten()).squeeze(1)
print(i, i.tolist())
print(x.flatten()[i])
print(torch.argwhere(x))
