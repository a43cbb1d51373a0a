import torch

torch.manual_seed(0)
a = torch.rand(8)
buffer = torch.zeros(8)
s = torch.ones(8)
for i in range(100):
    buffer.zero_()
    s = s * 0.5 + (buffer + a * i)
print(s)
