import torch
w = torch.ones(2, requires_grad=True)
x = torch.zeros(4)
v = x[:2]
print(v.requires_grad)
x[1:3] = w
print(v.requires_grad, v.grad_fn is not None)
(v * 3).sum().backward()
print(w.grad)
