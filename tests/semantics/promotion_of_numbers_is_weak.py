import torch
a = torch.tensor([1])
z = torch.tensor(2.0, dtype=torch.float64)
print((a * 2.0).dtype, (a * z).dtype, (a * 2).dtype, (torch.ones(1) * z).dtype)
n = torch.tensor([3]).item()
f = torch.tensor([3.5]).item()
print(n + f, type(n).__name__, type(f).__name__, (a * f).dtype)
