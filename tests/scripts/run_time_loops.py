import torch
x = torch.tensor([3, 1, 2, 0, 1])
idx = (x == 1).nonzero().squeeze(1)
for i in idx:
    print(int(i))
for i in idx.tolist():
    print(i)
print(len(idx.tolist()), sum(idx.tolist()), max(idx.tolist()), sorted(idx.tolist()))
out = []
for i in range(5):
    if x[i].item() > 0:
        out.append(x[i].item())
print(out, len(out), sum(out), torch.tensor(out))
print(torch.tensor(out).float().mean())
n = 0
while n < x.sum().item():
    n += 2
print(n, torch.arange(n))
