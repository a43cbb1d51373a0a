import torch

c = torch.ones(4, 3)
for i in range(3):
    for j in range(3):
        c.neg_()
    c = torch.zeros(4, 3) - c
    print(i, c.sum().item())
a, b = c.chunk(2, dim=1)
print(a.shape, b)
