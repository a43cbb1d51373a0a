import torch

# A version is a number of the pass that looks at it.
t = torch.zeros(1, 4)
for i in range(3):
    t[:, :] = 2
    print(t._version)

x = (torch.arange(12.0) - 6).reshape(4, 3)
for i in range(3):
    w = torch.ones(3, 4, requires_grad=True)
    xt = x.t()
    try:
        y = xt * w.exp()
        xt.add_(1)
        y.sum().backward()
    except RuntimeError as e:
        print("caught", e)
