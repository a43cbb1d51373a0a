# Heat spreads through a rod whose ends are held at zero; three buffers take turns, nothing is copied.
import math

import torch

n = 41
dx = 1.0 / (n - 1)
r = 0.4  # diffusivity * time step / dx ** 2; stable up to 0.5

x = torch.arange(n, dtype=torch.float64) * dx
u = torch.sin(math.pi * x)
u[0] = 0.0
u[-1] = 0.0
u_next = torch.zeros_like(u)

for step in range(1, 401):
    u_next[1:-1] = u[1:-1] + r * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    u, u_next = u_next, u
    if step % 100 == 0:
        exact = math.exp(-math.pi * math.pi * r * dx * dx * step)
        print(f"step {step}: middle {u[n // 2].item():.5f}, exact {exact:.5f}, total heat {u.sum().item() * dx:.5f}")

print(u[::5])
