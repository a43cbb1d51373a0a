# Columns that are repeated and stacked: their elements cannot be walked by constant strides.
import torch

x = torch.tensor([[1.0, 0.0], [2.0, 1.0]])
print(torch.stack([x[:, 0].repeat(2), x[:, 1].repeat(2)], -1))
print(torch.cat([x.repeat(2, 2).t().reshape(-1), x.expand(3, 2, 2).reshape(-1)]))
y = torch.arange(6.0).view(2, 3)
print(torch.stack([y.t().reshape(-1), y.expand(2, 2, 3)[1].t().reshape(-1) + 1, (y * 2).t().reshape(-1)]))
z = torch.cat([y.unsqueeze(0).expand(2, 2, 3).reshape(4, 3), y[:, ::2].repeat(1, 2)[:, :3]], dim=0)
print(z, z.sum())
