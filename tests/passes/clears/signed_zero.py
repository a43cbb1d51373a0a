import torch

a = torch.tensor([-0.0, 0.0, 1.0, float("nan"), float("-inf")])
z = torch.zeros(5)
print(1 / (a + z), 1 / (z + a), a * z, 1 / (a - z), 1 / (z - a))
g = torch.zeros(5)
g += a
print(1 / g)
