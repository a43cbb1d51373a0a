import torch
w = torch.ones(2, requires_grad=True)
x = torch.zeros(4)
with torch.no_grad():
    v = x[:2]
x[1:3] = w
try:
    print(v.grad_fn)
    print((v * 2).requires_grad)
except RuntimeError as e:
    print(e)
