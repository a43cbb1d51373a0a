import torch

# A branch that reads `w` and hands none of it on leaves the sign of a zero gradient as it is.
x = torch.arange(-2.0, 2.0)
w = torch.ones(4, requires_grad=True)
y = x * x
if x.sum() < 3:
    print(w.sum().item())
    y += 2
z = w * torch.sign(y * x)
print(torch.autograd.grad(((z - 1) ** 2).sum(), w)[0])

# One arm hands it on, the other does not.
for limit in (-5.0, 5.0):
    w = torch.ones(4, requires_grad=True)
    y = x * 1.0
    if x.sum() < limit:
        y = y + w * 0.5
    (y.sum() + (w * -0.0).sum()).backward()
    print(w.grad)
