import torch

torch.manual_seed(0)
w = torch.rand(8, 8, requires_grad=True)
x = torch.rand(8, 8)
opt = torch.optim.SGD([w], lr=0.1)
(x * w).sum().backward()
opt.step()
opt.zero_grad(set_to_none=False)
(x * w * w).sum().backward()
opt.step()
print(w)
