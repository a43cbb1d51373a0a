import torch
x = torch.tensor([1., 2.], requires_grad=True)
handle = x.register_hook(lambda g: g * 10)
(x * 3).sum().backward()
print(x.grad)
handle.remove()
x.grad = None
h = x * 2
y = (h * h).sum()
h.register_hook(lambda g: g + 1)
y.backward()
print(x.grad)


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, factor):
        ctx.save_for_backward(t)
        ctx.factor = factor
        return t * factor

    @staticmethod
    def backward(ctx, g):
        (t,) = ctx.saved_tensors
        return g * ctx.factor + t, None


x.grad = None
out = Double.apply(x * 1, 2.0)
print(out.requires_grad, out)
(out * out).sum().backward()
print(x.grad)
