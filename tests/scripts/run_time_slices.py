import torch
x = torch.arange(10.0)
n = int((x > 6).sum())
print(n, x[:n], x[n:], x[-n:], x[:-n])
k = x.argmax().item()
print(x[:k].sum(), x[k:].shape, x[2:k], x[n:k], x[n:k:2])
z = torch.zeros(n)
print(z, torch.ones(n, 2), torch.full((2, n), 7.), torch.arange(n), torch.arange(n, k))
z += 1
z[0] = 5
print(z, z[-1], z[1:], z[:2])
y = x.clone()
y[:n] = 0
print(y)
y[n:k] = -1
print(y)
y[n:k] += 2
print(y)
