import torch

torch.manual_seed(0)
w = torch.rand(8, 8, requires_grad=True)
x = torch.rand(4, 8, 8)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(5):
    opt.zero_grad(set_to_none=False)
    for k in range(4):
        loss = ((x[k] * w - 1) ** 2).sum() / 4
        loss.backward()
    opt.step()
print(w)
