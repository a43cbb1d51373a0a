import torch
a = torch.ones(2, requires_grad=True)
for write in (lambda t: t.add_(1), lambda t: t.detach().mul_(2), lambda t: t.zero_()):
    b = a * 2
    c = b * b
    write(b)
    try:
        c.sum().backward()
    except RuntimeError as e:
        print(e)
try:
    a.add_(1)
except RuntimeError as e:
    print(e)
try:
    a[0] = 3
except RuntimeError as e:
    print(e)
y = (a * a).sum()
y.backward()
try:
    y.backward()
except RuntimeError as e:
    print(e)
x = torch.ones(2, requires_grad=True)
z = (x * x).sum()
z.backward(retain_graph=True)
z.backward()
print(x.grad)
