import torch
w = torch.zeros(2, requires_grad=True)
x = w * 1
x.zero_()
(x + 1).sum().backward()
print(w.grad, x)
