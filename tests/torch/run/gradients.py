import torch
w = torch.tensor([1., 2., 3.], requires_grad=True)
x = torch.tensor([2., 2., 2.])
y = (x * w).sum()
print(y, y.requires_grad, y.is_leaf, w.is_leaf, w.grad is None)
y.backward()
print(w.grad, w.grad._version)
(w * 3).sum().backward()
print(w.grad, w.grad._version)
kept = w.grad
w.grad = None
(w * w).sum().backward()
print(kept, w.grad)
w.grad.zero_()
print(w.grad, w.grad is kept)
try:
    (w * 2).backward()
except RuntimeError as e:
    print(e)
(g,) = torch.autograd.grad((w * w).sum(), w)
print(g, w.grad)
h = w * 2
h.retain_grad()
h.sum().backward()
print(h.grad, w.grad)
with torch.no_grad():
    w -= 0.5 * w.grad
print(w, w._version)
d = w.detach()
print(d.requires_grad, d._version)
