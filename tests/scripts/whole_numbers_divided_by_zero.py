import torch

x = torch.tensor([5, -3])
for division in (lambda: x % 0, lambda: x // 0, lambda: torch.fmod(x, 0), lambda: torch.div(x, 0, rounding_mode="trunc"), lambda: x.remainder_(0)):
    try:
        print(division())
    except RuntimeError as e:
        print(e)
print(torch.tensor([5.0, -3.0]) % 0, torch.zeros(0, dtype=torch.int64) // 0, x / 0)
print(x % torch.tensor([2, 2]))
print(x // torch.tensor([1, 0]))
