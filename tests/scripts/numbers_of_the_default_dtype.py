# Numbers have the default dtype, also where a fill becomes one.
import torch

torch.set_default_dtype(torch.float64)
sign = torch.tensor([1.0, -1.0, 0.0])
grad = torch.full((3,), 0.1)
kept = torch.where(sign < 0, torch.zeros_like(grad), grad)
print(kept.dtype, kept * 3 == 0.1 * 3, (kept - 0.1).abs().max())
third = torch.where(sign > 0, torch.full((3,), 1 / 3), torch.full((3,), 2 / 3))
print(third.dtype, (third.sum() - 5 / 3).abs() < 1e-15)
