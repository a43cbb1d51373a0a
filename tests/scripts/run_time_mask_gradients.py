import torch
w = torch.randn(3, requires_grad=True) * 0 + torch.tensor([1., -2., 3.])
w = w.detach().requires_grad_()
x = torch.tensor([1., 2., 3.])
y = (w * x)
z = y[y > 0]
print(z)
z.sum().backward()
print(w.grad)
w.grad = None
y = w * x
(torch.log(y[y > 0]) * 2).sum().backward()
print(w.grad)
w.grad = None
b = torch.tensor([2.], requires_grad=True)
y = w * x
q = (w * x)[x > 1]
(torch.sqrt(q + 20) * b).mean().backward()
print(w.grad, b.grad)
a = torch.zeros(4)
a2 = a.clone()
v = torch.tensor([5., 6.], requires_grad=True)
a2[torch.tensor([True, False, False, True])] = v
(a2 * torch.arange(4.)).sum().backward()
print(a2, v.grad)
