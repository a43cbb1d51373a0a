import torch
torch.manual_seed(0)
w = torch.randn(3, 2, requires_grad=True)
x = torch.randn(8, 3)
t = torch.randint(0, 2, (8,))
opt = torch.optim.SGD([w], lr=0.1)
for step in range(5):
    out = x @ w
    keep = out.detach().abs().sum(1) > 1.0
    loss = torch.nn.functional.cross_entropy(out[keep], t[keep])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, int(keep.sum()), f"{loss.item():.4f}")
xs = x[keep]
lin = torch.nn.Linear(3, 2)
y = lin(xs)
print(y.shape)
(y ** 2).mean().backward()
print(lin.weight.grad.sum().item() != 0, lin.bias.grad.shape)
h = torch.relu(y).sum(1)
print(h.shape, (h > 0).sum())
