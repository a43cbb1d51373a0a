import torch

base = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
index = torch.tensor([0, 0, 2, 2])
src = torch.tensor([4.0, 0.5, -1.0, 2.0], requires_grad=True)
for reduce in ("sum", "prod", "mean", "amax", "amin"):
    for include_self in (True, False):
        y = base.scatter_reduce(0, index, src, reduce, include_self=include_self)
        grads = torch.autograd.grad((y * torch.tensor([1.0, 10.0, 100.0])).sum(), (base, src))
        print(reduce, include_self, y, *grads)
print(torch.tensor([5, 6, 7]).scatter_reduce(0, index, torch.tensor([1, 2, 3, 4]), "mean"))
print(torch.full((3,), 2.0).scatter_(0, torch.tensor([1]), 5.0, reduce="multiply"), torch.ones(3).scatter(0, torch.tensor([1]), 5.0, reduce="add"))
zeros = torch.tensor([0.0, 0.0, 3.0, 2.0], requires_grad=True)
print(torch.autograd.grad(base.scatter_reduce(0, index, zeros, "prod").sum(), (base, zeros)))
point = torch.tensor(3.0)
print(point.gather(0, torch.tensor([0])), point.gather(0, torch.tensor(0)), torch.tensor(1.0).scatter(0, torch.tensor(0), 7.0))
print(torch.zeros(2, 3).scatter_add(1, torch.tensor([[0, 2], [1, 1]]), torch.ones(2, 2)))
for broken in (lambda: base.scatter_reduce(0, index, src, "median"),
               lambda: torch.zeros(3).scatter(0, torch.tensor([1]), torch.ones(1), reduce="sum"),
               lambda: torch.zeros(3).scatter_add(0, torch.tensor([1]), torch.ones(1, dtype=torch.float64))):
    try:
        print(broken())
    except Exception as e:
        print(type(e).__name__, e)
