# Where only the truth is asked, the parts of `and` and `or` may be tensors, numbers, strings, lists or None.
import torch

x = torch.zeros(8)
steps = 0
while True:
    before = x.clone()
    x = 0.5 * (x + 1)
    steps += 1
    if (x - before).abs().max() < 1e-2 or steps >= 50:
        break
print(steps, x[0].item() > 0.9)

limit = None
best = torch.tensor(3.0)
for value in torch.tensor([2.0, 5.0, 4.0]):
    if not (value > best and steps) or not limit and value > 4.5:
        best = value
print(best)
names = []
print("yes" if best > 10 or names or "text" else "no", "yes" if best > 1 and names else "no")
assert best > 3 or names, "too small"
count = 0
while best > 0.1 and count < 3 or count == 0:
    best = best / 10
    count += 1
print(count, [v for v in range(4) if best > 1 or v % 2], not (best > 1 or names))
print(sum(1 for v in torch.arange(5) if v > 1 and v != 3 or steps < 0))
