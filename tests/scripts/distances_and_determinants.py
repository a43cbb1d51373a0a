import torch

a, b = torch.tensor([[0.0, 0.0], [3.0, 4.0]]), torch.tensor([[1.0, 1.0]])
for p in (0.0, 1.0, 2.0, 3.0, float("inf")):
    x = a.clone().requires_grad_()
    d = torch.cdist(x, b, p=p)
    d.sum().backward()
    print(p, d.detach(), x.grad)
print(torch.det(torch.tensor([[1.0, 2.0], [3.0, 4.0]])), torch.linalg.slogdet(torch.tensor([[1.0, 2.0], [3.0, 4.0]])))
print(torch.linalg.det(torch.tensor([[2.0, -1.0, 0.0], [1.0, 3.0, 5.0], [4.0, 1.0, 1.0]])).item(), torch.linalg.lu_factor(torch.tensor([[1.0, 2.0, 7.0], [3.0, 4.0, 5.0], [6.0, 1.0, 1.0]]))[0].tolist())
try:
    torch.zeros(2, 2).index_add_(0, torch.tensor([0]), torch.ones(1, 3))
except RuntimeError as e:
    print(e)
