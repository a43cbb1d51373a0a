import torch
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    print((x * 2).requires_grad, torch.is_grad_enabled())
    with torch.enable_grad():
        print((x * 2).requires_grad)


@torch.no_grad()
def f(t):
    return t * 2


print(f(x).requires_grad, torch.is_grad_enabled())
torch.set_grad_enabled(False)
print((x * 2).requires_grad)
torch.set_grad_enabled(True)
torch.set_default_dtype(torch.float64)
print(torch.ones(1).dtype, torch.ones(1))
torch.set_default_dtype(torch.float32)
print(torch.get_default_dtype(), torch.float32.itemsize, torch.int64.is_floating_point)
print(torch.device("cpu"), repr(torch.device("cuda:1")), torch.device("cpu") == torch.device("cpu"))
print(torch.finfo(torch.float32).eps, torch.iinfo(torch.int8).max)
print(torch.zeros(2, 3).shape, torch.Size([1, 2]).numel(), torch.cuda.is_available())
