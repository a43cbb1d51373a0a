import torch

torch.manual_seed(0)
w = torch.rand(8, 8, requires_grad=True)
x = torch.rand(8, 8)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(12):
    opt.zero_grad(set_to_none=False)
    loss = ((x * w - 1) ** 2).sum()
    loss.backward()
    opt.step()
    if i % 4 == 0:
        print(loss.item())
print(w)
