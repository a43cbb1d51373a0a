# A column times a row sums nothing: -0 stays, as in a plain product. Sums of products start at +0.
import torch
import torch.nn.functional as F

column, row = torch.tensor([[-1.0], [2.0]]), torch.tensor([[0.0, 3.0, -0.0]])
print(column @ row, torch.mm(column.double(), row.double()))
print(torch.addmm(torch.full((2, 3), -0.0), column, row), torch.einsum("ik,kj->ij", column, row))
print(torch.bmm(column[None], row[None]), torch.mv(column, torch.tensor([0.0])), torch.mm(torch.tensor([[-1.0]]), row))
print(F.linear(column, row.t()), torch.outer(column[:, 0], row[0]), torch.dot(torch.tensor([-1.0]), torch.tensor([0.0])))
w = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
(column @ w).backward(torch.tensor([[0.0, 0.0, 1.0], [-0.0, 0.0, 0.0]]))
print(w.grad)
x = torch.tensor([[-1.0], [2.0]], requires_grad=True)
(x @ w.detach()).backward(torch.tensor([[0.0, 0.0, -0.0], [-0.0, 0.0, 0.0]]))
print(x.grad)
print(torch.einsum("ij,jk", torch.zeros(0, 2), torch.ones(2, 1)))
a, b = torch.arange(6.0).view(2, 3), torch.arange(12.0).view(3, 4)
print(torch.einsum(a, [0, 1], b, [1, 2], [0, 2]), torch.einsum(a, [0, 1], b, [1, 2]), torch.einsum(a, [0, 1], [1]), torch.einsum(a, [..., 0], [0, ...]))
try:
    torch.einsum(a, [60, 1], [60])
except ValueError as e:
    print(e)
