# Fits a straight line by gradient descent, with the update and the clearing of gradients written out.
import torch

torch.manual_seed(1)
x = torch.linspace(-1, 1, 64)
y = 3.0 * x - 0.5 + 0.05 * torch.randn(64)

w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)

for step in range(100):
    loss = ((x * w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.2 * w.grad
        b -= 0.2 * b.grad
    w.grad.zero_()
    b.grad.zero_()
    if step % 20 == 0:
        print(f"step {step:2d}  loss {loss.item():.4f}")

print(f"y = {w.item():.3f} x {b.item():+.3f}")
print("gradients are clear:", w.grad, b.grad)
