import torch
h = torch.ones(2)
l = []
for i in range(3):
    h.mul_(2)
    l.append(h)
print(torch.stack(l))
l = []
for i in range(3):
    h = h * 2
    l.append(h)
print(torch.stack(l))
