import torch
x = torch.ones(3, requires_grad=True)
(x * 2).sum().backward()
print('mul', x.grad._version)
x.grad = None
x.sum().backward()
print('sum', x.grad._version)
x.grad = None
(x * x).sum().backward()
print('square', x.grad._version)
x.grad = None
(x + 0).backward(torch.ones(3))
print('passed on', x.grad._version)
x.grad = None
x[1:].sum().backward()
print('slice', x.grad._version)
x.grad = None
(x.sum() + (x * 2).sum()).backward()
print('two uses', x.grad._version)
(x * 2).sum().backward()
print('accumulated', x.grad._version)
x.grad.zero_()
print('cleared', x.grad._version)
