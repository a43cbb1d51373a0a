import torch
x = torch.ones(2)
y = x * 2
x.requires_grad_()
z = x * 3
(y + z).sum().backward()
print(x.grad, y.requires_grad, z.requires_grad)
x = torch.ones(2, requires_grad=True)
z = x * 3
x.requires_grad_(False)
z.sum().backward()
print(x.grad)
