# What torch.linalg takes beside matrices, and what it refuses.
import torch

a = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
print(torch.slogdet(a), torch.linalg.slogdet(a))
print(torch.linalg.qr(torch.eye(2), mode="r"))
print(torch.linalg.matrix_rank(torch.ones(3, 3)), torch.linalg.matrix_rank(torch.eye(4), hermitian=True), torch.linalg.matrix_rank(torch.diag(torch.tensor([1.0, 0.1])), tol=0.5))
print(torch.linalg.matrix_norm(torch.eye(3)[:2], ord="nuc", keepdim=True), torch.linalg.matrix_norm(torch.eye(2).expand(3, 2, 2), ord=2, dim=(1, 2)))
print(torch.linalg.cond(torch.zeros(2, 2), p=1), torch.linalg.cond(torch.eye(2), p="fro"))
print(torch.linalg.lstsq(torch.eye(2), torch.ones(2), driver="gelsd"))
print(torch.linalg.householder_product(torch.tensor([[1.0, 0.0], [2.0, 1.0]]), torch.tensor([0.4, 0.0])))
print(torch.meshgrid(torch.arange(2), torch.arange(3), indexing="xy"))
print(torch.triangular_solve(torch.ones(2, 1), torch.tensor([[1.0, 2.0], [0.0, 4.0]])).solution)


def refused(what):
    try:
        what()
    except Exception as e:
        print(type(e).__name__, e)


half = torch.ones(2, 2, dtype=torch.float16)
refused(lambda: torch.linalg.det(half))
refused(lambda: torch.linalg.inv(half))
refused(lambda: torch.linalg.qr(half))
refused(lambda: torch.linalg.qr(a, mode="x"))
refused(lambda: torch.linalg.pinv(half))
refused(lambda: torch.linalg.eigh(a, UPLO="X"))
refused(lambda: torch.linalg.solve(a, torch.ones(3)))
refused(lambda: torch.linalg.solve_triangular(a, torch.ones(3, 1), upper=True))
refused(lambda: torch.linalg.norm(torch.ones(2, 2, 2), ord="fro"))
refused(lambda: torch.linalg.norm(torch.ones(2), ord="fro"))
refused(lambda: torch.linalg.matrix_norm(a, ord=3))
refused(lambda: torch.linalg.vector_norm(torch.zeros(0), ord=float("inf")))
refused(lambda: torch.linalg.matrix_power(torch.ones(2, 3), 2))
refused(lambda: torch.linalg.multi_dot([a]))
refused(lambda: torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(2, 3)]))
refused(lambda: torch.linalg.tensorinv(torch.ones(4, 2, 2), ind=2))
refused(lambda: torch.linalg.lstsq(a, torch.ones(3, 2)))
refused(lambda: torch.linalg.cond(a, p="x"))
