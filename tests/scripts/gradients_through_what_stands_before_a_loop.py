import torch

# The gradient goes through `c`, which was made of the first `w`: each pass writes `w` and leaves `c` as it is.
w = torch.ones(3, 4, requires_grad=True)
c = torch.arange(12.0).reshape(3, 4) + w
for i in range(2):
    loss = (w * c).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.125 * w.grad
    w.grad = None
print(w)
