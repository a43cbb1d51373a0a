import torch

x = torch.ones(3)
w = torch.ones(3, requires_grad=True)
y = (x * w).sum()
v = x[1:]
for i in range(100):
    x.add_(1)
    v.mul_(0.5)
print(x._version, v._version)
try:
    y.backward()
except RuntimeError as e:
    print(e)
for i in range(50):
    x.sub_(1)
try:
    y.backward()
except RuntimeError as e:
    print(e)
