# Activations in place save what they gave; batch norm keeps its running statistics.
import torch
from torch import nn
import torch.nn.functional as F

x = torch.ones(2, requires_grad=True)
for f in (F.leaky_relu, F.elu, F.celu, F.selu):
    y = f(x * 1, inplace=True)
    print(y.grad_fn.name())
    y.add_(1)
    try:
        y.sum().backward()
    except RuntimeError as e:
        print(e)
norm = nn.BatchNorm1d(2)
y = norm(torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True))
print(norm.running_mean._version)
norm.running_mean.zero_()
y.sum().backward()
