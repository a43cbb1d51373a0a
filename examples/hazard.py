# The clear in line 11 destroys a value that the gradient of w needs. PyTorch finds out when backward runs; sifr says so when
# it compiles, and names all three places.
import torch

w = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
x = torch.ones(3, 3)
y = (x * w).sum()
print("sum:", y.item())

v = x[1:, 1:]
v.zero_()
y.backward()
print(w.grad)
