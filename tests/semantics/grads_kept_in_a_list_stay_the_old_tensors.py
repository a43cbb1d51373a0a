import torch
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.5)
kept = []
for i in range(3):
    opt.zero_grad()
    (w * w * (i + 1)).sum().backward()
    kept.append(w.grad)
    opt.step()
print(kept, [g is w.grad for g in kept])
