# Functions that write their inputs, give indices, or must not be differentiated twice.
import torch
from torch.autograd.function import once_differentiable


class Increment(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        x.add_(k)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 3, None


a = torch.tensor([1.0, 2.0], requires_grad=True)
b = a * 2
c = Increment.apply(b, 1)
print(c is b, b, b._version)
(c * torch.tensor([1.0, 10.0])).sum().backward()
print(a.grad)
plain = torch.zeros(2)
print(Increment.apply(plain, 1) is plain, plain, plain._version, plain.requires_grad)
try:
    Increment.apply(a, 1)
except RuntimeError as e:
    print(e)


class Forgets(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x + 1

    @staticmethod
    def backward(ctx, g):
        return g


try:
    Forgets.apply(a * 2)
except RuntimeError as e:
    print(e)


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = x.sort()
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return values, indices

    @staticmethod
    def backward(ctx, g, _):
        indices, = ctx.saved_tensors
        out = torch.zeros_like(g)
        out[indices] = g
        return out


x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
values, indices = Sort.apply(x)
print(values.requires_grad, indices.requires_grad, indices)
(values * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print(x.grad)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 2 * g * x


s = torch.tensor(2.0, requires_grad=True)
g, = torch.autograd.grad(Square.apply(s), s, create_graph=True)
print(g, g.requires_grad)
