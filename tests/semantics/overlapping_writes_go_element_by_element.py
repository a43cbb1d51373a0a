import torch
z = torch.zeros(5)
u = z.unfold(0, 3, 1)
try:
    u += 1
    print(z)
except RuntimeError as e:
    print('RuntimeError:', e)
z = torch.zeros(5)
u = z.unfold(0, 3, 1)
try:
    u.copy_(torch.arange(9.).reshape(3, 3))
    print(z)
except RuntimeError as e:
    print('RuntimeError:', e)
try:
    z[1:] = z[:-1]
except RuntimeError as e:
    print(e)
