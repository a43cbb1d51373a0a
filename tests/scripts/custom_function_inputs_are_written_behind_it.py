import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(y)
        return x * 2 + y
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y, g*5
a=torch.ones(3,requires_grad=True)
b=a*1
c=a*7
d=F.apply(b,c)
b.zero_()
d.sum().backward()
print(a.grad)
a.grad=None
b=a.exp()
d=F.apply(b,b*2)
b2=b.detach()
d=d*d
b=b+1
(d.sum()+b.sum()).backward()
print(a.grad)
a.grad=None
b=a*3
d=F.apply(b,a)
b+=a
e=F.apply(b,a)
b*=2
(d+e+b).sum().backward()
print(a.grad)
