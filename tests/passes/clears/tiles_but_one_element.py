import torch

torch.manual_seed(0)
a = torch.rand(3, 3)
x = torch.zeros(9, 9)
for i in range(3):
    for j in range(3):
        if i == 1 and j == 1:
            x[3:6, 3:5] = a[:, :2]
            x[3:5, 5] = a[:2, 2]
        else:
            x[3 * i:3 * i + 3, 3 * j:3 * j + 3] = a * (i + j)
print(x)
