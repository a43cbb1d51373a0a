import torch
z = torch.tensor([3+4j, 1-1j], requires_grad=True)
w = z * (2+1j)
print(w)
loss = w.abs().sum()
print(loss)
loss.backward()
print(z.grad, z.grad.dtype, z.is_leaf, w.is_leaf, z.requires_grad)
z.grad.zero_()
(z * z.conj()).real.sum().backward()
print(z.grad)
z.grad = None
u = torch.exp(z).real.sum() + z.imag.sum()
u.backward()
print(z.grad)
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.complex(x, x * 2)
print(y)
y.abs().sum().backward()
print(x.grad)
p = torch.polar(torch.tensor([1., 2.], requires_grad=True), torch.tensor([0., 1.]))
print(p)
with torch.no_grad():
    z += 1
print(z)
try:
    z += 1
except RuntimeError as e:
    print(e)
try:
    z[0] = 0
except RuntimeError as e:
    print(e)
g = torch.autograd.grad(torch.view_as_real(z * 1j).pow(2).sum(), z)
print(g)
g2, = torch.autograd.grad((x * 1j).imag.sum(), x)
print(g2)
a = torch.zeros(2, 3, dtype=torch.complex128)
a[0] = 1j
a[:, 1] = torch.tensor([2., 3.])
a[1, 2] = 5 - 2j
print(a, a.T, a.shape, a.stride(), a.t().stride())
a.real.fill_(7)
print(a[..., 0], a[None].shape)
b = a.clone()
b.mul_(1j)
print(b, b.mH)
print(b.sum(0), b.sum(dim=1, keepdim=True), b.mean(), b.prod())
print(torch.cat([a, b]), torch.stack([a[0], b[0]]).shape)
c = b.conj()
print(c, c.is_conj(), c.resolve_conj().is_conj())
c[0, 0] = 100j
print(b[0, 0])
print((a @ b.T), torch.matmul(a, b.mH))
print(torch.einsum('ij,kj->ik', a, b))
print(torch.eye(2, dtype=torch.complex64) @ torch.tensor([1j, 2]))
print(torch.zeros(2, dtype=torch.complex64), torch.ones(2, 2, dtype=torch.cfloat), torch.empty(0, dtype=torch.complex64), torch.full((2,), 1+1j))
print(torch.ones(3) * 1j + 2)
q = torch.arange(4).to(torch.complex64)
print(q, q.reshape(2, 2), q.view(2, 2).real, q.flip(0), q.unsqueeze(0).shape)
q.reshape(2, 2)[0, 0] = 9j
print(q, q[1:], q[[0, 3]])
print((q == 9j).tolist(), torch.where(q.real > 1, q, 0j), torch.allclose(q, q + 1e-9))
print(q.tolist(), q[0].item(), complex(q[0]), abs(q[0].item()), (q[1].item() + 1j) * 2)
for e in q[:2]:
    print(e, e.shape, e.item())
print(f"{q[0].item():.3f} {q[0]:.2f}", str(q[0].item()))
s = 0j
for i in range(3):
    s += (i + 1j) ** 2
print(s, s.real, s.imag, s.conjugate(), abs(s), s == -2+6j, -s, s / (1 - 1j), 1 / s, (1+2j) * 3, (2+0j) ** 0.5, complex(1, 2))
print(q.to(torch.complex128).dtype, q.cfloat().dtype, torch.tensor([1.]).cdouble(), q.type(torch.complex64) is q)
print(torch.randn(2, dtype=torch.complex64).shape, torch.zeros_like(q), torch.ones_like(q), q.new_zeros(2), torch.full_like(q, 1j))
print(q.dtype.is_complex, q.is_complex(), torch.is_complex(q), q.numel(), q.dim(), q.element_size(), q.nbytes)
torch.manual_seed(0)
print(torch.randn(2, 2, dtype=torch.complex64), torch.rand(2, dtype=torch.complex128))
print(torch.tensor([[1+1j, 2], [3, 4j]]).sum(), torch.tensor(1j), torch.tensor([1e-5+1j, 1e5]))
print(q.repeat(2), q[:2].repeat(2, 1), q.tile(2))
