import torch
x = torch.tensor([3., 1., 2., 5., 4.])
a = x[x > 2]
b = x[x <= 2]
print(torch.cat([a, b]), torch.cat([b, a, x]), torch.cat([x, b]))
print(torch.stack([a, a * 2]))
print(a.view(-1, 1), a.reshape(1, -1), a.unsqueeze(0).shape, a.flatten())
s, i = a.sort()
print(s, i, a.argsort(), torch.sort(a, descending=True).values)
print(a.unsqueeze(1) @ a.unsqueeze(0), a @ a, a.softmax(0), torch.topk(a, 2))
print(torch.zeros_like(a), torch.ones_like(a), a.clone(), a.norm())
print(a.expand(2, -1), a.unique(), a.bool(), a.int().sum())
