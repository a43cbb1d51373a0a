import torch
x = torch.tensor([[1., 2., 3.], [4., 5., 6.], [7., 8., 9.], [0., 1., 0.]])
m = x.sum(1) > 5
r = x[m]
print(r, r.shape, r.size(0), r.t().shape, r.T)
print(r.mean(0), r.mean(1), r.sum(dim=0, keepdim=True), r.max(dim=0), r.argmax(1))
print(r[0], r[-1], r[:, 0], r[1:], r[:, 1:], r[::2])
print(r.view(-1), r.reshape(-1, 3).shape, r.flatten()[2], r.var(0), r.std())
print(r @ torch.ones(3), r.matmul(torch.eye(3)), torch.mm(r.t(), r))
print(r.permute(1, 0).contiguous(), r.unsqueeze(-1).shape, r.expand(2, -1, -1).shape)
print(torch.where(r > 4, r, torch.zeros_like(r)), r.clamp(min=2), (r > 2).all(), (r == 5).any(dim=1))
r[0, 0] = 100
r[:, 2] = -1
r += 1
print(r, x[1, 0])
for row in r:
    print(row.sum().item())
print(r.sort(dim=1).values, r.sort(dim=0).values, r.cumsum(0), r.cumsum(1))
print(f"{r.shape[0]} rows, {r.shape}, {r.numel()}, {tuple(r.shape)}, {list(r.shape)}")
print(r.isnan().any().item(), r.dtype, r.dim(), r.ndim)
print(torch.equal(r, r.clone()), torch.allclose(r, r + 0))
a, b = r.unbind(1)[:2]
print(a, b)
print(r.topk(2, dim=1), r.flip(1))
print(torch.cat([r, x]), torch.cat([r, r], dim=1), torch.stack([r, r]).shape)
