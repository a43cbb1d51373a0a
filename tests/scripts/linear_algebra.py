import torch

torch.set_printoptions(precision=3, sci_mode=False)
a = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]], requires_grad=True)
b = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]], requires_grad=True)


def slopes(name, y, *inputs):
    grads = torch.autograd.grad(y, inputs)
    print(name, *[g.round(decimals=3).tolist() for g in grads])


print(torch.linalg.det(a))
print(torch.linalg.slogdet(a))
print(torch.logdet(a))
print(torch.linalg.inv(a).round(decimals=3))
print(torch.linalg.solve(a, b).round(decimals=3))
print(torch.linalg.solve(a, b[:, 0]).round(decimals=3))
print(torch.linalg.cholesky(a).round(decimals=3))
print(torch.cholesky_solve(b, torch.linalg.cholesky(a)).round(decimals=3))
print(torch.linalg.eigvalsh(a).round(decimals=3))
print(torch.linalg.svdvals(b).round(decimals=3))
q, r = torch.linalg.qr(b)
print(r.abs().round(decimals=3), (q.T @ q).round(decimals=3).abs())
p, l, u = torch.linalg.lu(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
print(p, l.round(decimals=3), u.round(decimals=3))
print(torch.linalg.matrix_exp(torch.tensor([[0.0, 1.0], [-1.0, 0.0]])).round(decimals=3))
print(torch.linalg.matrix_power(torch.tensor([[1, 1], [1, 0]]), 10))
print(torch.triangular_solve(b, a).solution.round(decimals=3))
print(torch.linalg.lstsq(b, torch.tensor([[1.0], [2.0], [3.0]])).solution.round(decimals=3))
print(torch.linalg.pinv(b).round(decimals=3))
u, s, vh = torch.linalg.svd(b.detach())
print(u.shape, s.shape, vh.shape, torch.dist(u[:, :2] @ torch.diag(s) @ vh, b.detach()) < 1e-5)
batch = torch.stack([a.detach(), 2 * a.detach()])
print(torch.linalg.solve(batch, b.detach()).round(decimals=3))
print(torch.linalg.det(batch).round(decimals=3))

slopes("det", torch.linalg.det(a), a)
slopes("logdet", torch.logdet(a), a)
slopes("inv", torch.linalg.inv(a).sum(), a)
slopes("solve", (torch.linalg.solve(a, b) ** 2).sum(), a, b)
slopes("cholesky", (torch.linalg.cholesky(a) * a.detach()).sum(), a)
slopes("eigvalsh", (torch.linalg.eigvalsh(a) ** 3).sum(), a)
slopes("svdvals", (torch.linalg.svdvals(b) ** 3).sum(), b)
slopes("qr", (torch.linalg.qr(b)[1] ** 2).sum(), b)
slopes("lu", (torch.linalg.lu(a)[2] ** 2).sum(), a)
slopes("matrix_exp", torch.linalg.matrix_exp(a / 4).sum(), a)
slopes("triangular", torch.linalg.solve_triangular(a, b, upper=True).sum() * 8, a, b)
slopes("lstsq", torch.linalg.lstsq(b, torch.ones(3, 1)).solution.sum(), b)
slopes("pinv", torch.linalg.pinv(b).sum(), b)

for broken in (lambda: torch.linalg.inv(torch.ones(2, 3)),
               lambda: torch.linalg.inv(torch.ones(2, 2, dtype=torch.int64)),
               lambda: torch.linalg.solve(torch.eye(2), torch.ones(3, 1)),
               lambda: torch.linalg.qr(torch.ones(2))):
    try:
        print(broken())
    except Exception as e:
        print(type(e).__name__, e)
