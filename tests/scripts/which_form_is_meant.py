# Calls that no form of a function takes, in PyTorch's words.
import torch

x = torch.ones(2)
for call in (lambda: x.sum(1, 2, 3, 4), lambda: torch.prod(), lambda: torch.add(x), lambda: torch.prod(x, [0, 1]), lambda: torch.add(x, "a"), lambda: x.add(), lambda: torch.sum(x, "a"), lambda: torch.mean(x, foo=1),
             lambda: torch.add(x, foo=1), lambda: x.sum(dim="a"), lambda: x.sum(dim=0, foo=1), lambda: x.add(x, x), lambda: torch.add(x, x, beta=2), lambda: torch.relu()):
    try:
        call()
    except TypeError as e:
        print(e)
