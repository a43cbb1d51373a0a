# Three carried buffers rotate: pointers change their roles, and nothing is copied.
import torch

n = 41
u_prev = torch.zeros(n)
u_prev[n // 2] = 1.0
u = u_prev.clone()
for step in range(60):
    u_next = torch.zeros(n)
    u_next[1:-1] = 2 * u[1:-1] - u_prev[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    u_prev, u = u, u_next
    if step % 20 == 19:
        print(step, f"{u.abs().max().item():.6f}")
print(u[:5])
