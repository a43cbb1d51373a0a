import torch

x = torch.full((4,), float("nan"))
x.mul_(0)
y = torch.tensor([1.0, float("inf"), -2.0, float("nan")])
print(x, y - y, 0 * y)
