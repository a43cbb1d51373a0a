# Behind a loop of at least one iteration a name that each of them rebinds holds nothing of what it held.
import torch

x = torch.ones(3)
h = x
for i in range(100):
    h = h + 1
x.zero_()
print(x, h)
h.mul_(2)
print(x, h)

state = torch.arange(4.0)
start = state
k = 0
while True:
    state = state * 0.5
    k += 1
    if state.sum().item() < 0.5:
        break
start += 1
print(start, state, k)
