import torch
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
e = b.exp()
l = e * 3
m = a * 2
s = (l + m).sum()
e.zero_()
try:
    s.backward()
except RuntimeError as err:
    print(err)
print(a.grad, b.grad)
