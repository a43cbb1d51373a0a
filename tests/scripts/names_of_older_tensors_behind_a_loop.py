import torch

# A loop leaves names with tensors that were there before it: a write to one of them is seen through the name.
t = torch.arange(24.0).reshape(2, 3, 4)
flat = t.flatten()
for i in range(2):
    name = flat
for i in range(3):
    t[:, i, -3] = 0
print(name)

w = torch.full((3,), -0.5, requires_grad=True)
for i in range(2):
    same = w
(w * w).sum().backward()
with torch.no_grad():
    w -= w.grad
print(same, same is w)
