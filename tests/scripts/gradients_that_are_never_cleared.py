import torch
w = torch.ones(1, requires_grad=True)
for i in range(3):
    w.sum().backward()
    with torch.no_grad(): w.add_(w.grad, alpha=-.1)
    print(w, w.grad)
