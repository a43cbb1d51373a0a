import torch
from torch import nn

# Slices that lie apart and over each other; zeros with a sign become +0 in the sum.
x = torch.rand(6, 4, requires_grad=True)
w = torch.tensor([-0.0, 1.0, -2.0, 0.5])
loss = (x[:3] * w).sum() + (x[3:] * w * 2).sum() + (x[2:5] * w).sum()
loss.backward()
print(x.grad)
print(torch.signbit(x.grad))

# One slice alone keeps the sign of its zeros.
y = torch.ones(4, 4, requires_grad=True)
(y[1:3] * w).sum().backward()
print(torch.signbit(y.grad))

# Steps of a sequence in a loop, gates of a cell, a weight that is read transposed in every step.
torch.manual_seed(3)
inputs = torch.randn(7, 3, 5, requires_grad=True)
weight = torch.randn(8, 5, requires_grad=True)
recurrent = torch.randn(8, 2, requires_grad=True)
h = torch.zeros(3, 2)
c = torch.zeros(3, 2)
projected = inputs @ weight.t()
for t in range(7):
    i, f, g, o = (projected[t] + h @ recurrent.t()).chunk(4, dim=1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
(h * h).sum().backward()
print(inputs.grad.abs().sum(), weight.grad.abs().sum())
print(recurrent.grad)

lstm = nn.LSTM(4, 3, num_layers=2)
out, _ = lstm(torch.randn(6, 2, 4))
out[-1].sum().backward()
for name, p in lstm.named_parameters():
    print(name, p.grad.abs().sum())

# A block that a loop clears again and again.
a = torch.arange(64.0).view(8, 8)
for k in range(5):
    a.view(-1)[k * 9] = 7.0
    a[2:6, 2:6].zero_()
print(a.sum())
