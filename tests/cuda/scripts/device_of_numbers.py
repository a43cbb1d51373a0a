import torch

a = torch.zeros(3, device='cuda')
b = torch.ones(3)
try:
    a + b
except RuntimeError as e:
    print(e)
print(a + torch.tensor(2.0))
