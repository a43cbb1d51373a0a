import torch
w = torch.ones(2, requires_grad=True)
h = w * 2
y = (h * h).sum()
with torch.no_grad():
    h.add_(1)
try:
    y.backward()
except RuntimeError as e:
    print(e)
w = torch.ones(2, requires_grad=True)
h = w * 2
y = (h + 1).sum()
h.detach().add_(1)
y.backward()
print(w.grad)
