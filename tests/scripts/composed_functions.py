import torch
import math

a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b = torch.tensor([[0.5, -1.0], [2.0, 0.0]], requires_grad=True)
v = torch.tensor([1.0, -2.0, 4.0], requires_grad=True)
w = torch.tensor([2.0, 0.5, -1.0])
for y in (torch.kron(a, b), torch.cross(v, w, dim=0), torch.inner(a, b), torch.vdot(v, w), v.diff(), torch.diff(a, dim=0, prepend=b[:1]), a.fliplr(), torch.flipud(a),
          torch.ldexp(a, torch.tensor([1, -1])), torch.float_power(a, 2), a.float_power(b), torch.trapz(v), torch.trapezoid(v, torch.tensor([0.0, 1.0, 3.0])),
          torch.cumulative_trapezoid(v), torch.combinations(v), torch.block_diag(a, b), torch.diagflat(v),
          torch.take_along_dim(a, torch.tensor([[1], [0]]), 1), torch.addbmm(a, torch.stack([a, b]), torch.stack([b, a])), torch.dist(a, b), torch.dist(a, b, 1),
          torch.sinc(b / 4 + 0.1), a.adjoint(), torch.narrow_copy(a, 0, 1, 1), a.unsafe_chunk(2)[1], torch.nn.functional.pdist(a)):
    print(y)
    print(*torch.autograd.grad(y.sum(), [t for t in (a, b, v)], allow_unused=True))
print(torch.vander(w, 3), torch.vander(torch.tensor([1, 2]), increasing=True))
print(torch.logspace(0, 2, 5), torch.logspace(-1, 1, 3, base=2.0, dtype=torch.float64))
print(torch.nextafter(torch.tensor([1.0, 0.0, -1.0]), torch.tensor([2.0, -1.0, -1.0])).tolist())
print(torch.gcd(torch.tensor([12, -18, 0]), torch.tensor(8)), torch.lcm(torch.tensor([4, 6]), torch.tensor([6, 8])))
print(torch.angle(torch.tensor([-1.0, 2.0])), torch.isreal(torch.ones(2)), torch.positive(w), torch.real(w), w.conj())
print(torch.hann_window(4), torch.hamming_window(4, periodic=False), torch.blackman_window(5)[1:], torch.bartlett_window(5))
print(torch.unravel_index(torch.tensor([5, 2]), (2, 3)), torch.hsplit(a.detach(), 2), torch.ones(4, 1).vsplit(2))
z = torch.zeros(3, 3)
print(z.fill_diagonal_(5.0), torch.zeros(7, 3).fill_diagonal_(1, wrap=True))
out = torch.empty(0)
torch.kron(torch.eye(2), torch.ones(1, 2), out=out)
print(out)
x = torch.ones(2, 2, dtype=torch.float64)
x.float_power_(2)
print(x.ldexp_(torch.tensor(2)), torch.renorm(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0))
bits = torch.tensor([1.0, -2.0, 0.0])
print(bits.view(torch.int32), bits.view(torch.int32).view(torch.float32), torch.arange(4, dtype=torch.uint8).view(torch.int16), torch.tensor([1, 2]).view(torch.int32))
for broken in (lambda: torch.diff(torch.tensor(1.0)), lambda: torch.gcd(torch.ones(1), torch.ones(1)), lambda: torch.combinations(a),
               lambda: torch.zeros(3, dtype=torch.uint8).view(torch.int32), lambda: torch.tensor(1.0).view(torch.float64)):
    try:
        print(broken())
    except Exception as e:
        print(type(e).__name__, e)
