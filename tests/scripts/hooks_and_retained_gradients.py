# A tensor with a hook that keeps its gradient, too, gets it once: what its hooks made of it.
import torch

z = torch.ones(2, requires_grad=True)
w = z * 3
w.register_hook(lambda g: print("hook", g))
w.retain_grad()
(w**2).sum().backward()
print(w.grad, z.grad)

z.grad = None
u = z * 2
u.retain_grad()
u.register_hook(lambda g: g * 10)
v = u * u
v.register_hook(lambda g: g + 1)
v.retain_grad()
(v * 5).sum().backward()
print(v.grad, u.grad, z.grad)

a = torch.ones(2, requires_grad=True)
b = a * 2
b.register_hook(lambda g: g * 100)
c = b.exp() + b
print(torch.autograd.grad(c.sum(), [a, b, c], retain_graph=True), torch.autograd.grad(c.sum(), b))


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


p = torch.ones(2, requires_grad=True)
q = p * 3
q.retain_grad()
r = Double.apply(q)
r.retain_grad()
r.register_hook(lambda g: g * 7)
(r * r).sum().backward()
print(r.grad, q.grad, p.grad)
