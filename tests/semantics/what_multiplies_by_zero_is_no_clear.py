import torch
x = torch.tensor([1.0, float('inf'), float('nan'), -2.0])
y = x.clone()
y.mul_(0)
print(y, x - x, 0 * x)
