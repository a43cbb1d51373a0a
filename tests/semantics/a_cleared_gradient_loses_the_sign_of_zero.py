import torch
w = torch.ones(2, requires_grad=True)
(w * -0.0).sum().backward()
print(w.grad, 1 / w.grad)
w.grad.zero_()
(w * -0.0).sum().backward()
print(w.grad, 1 / w.grad)
