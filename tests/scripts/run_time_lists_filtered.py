# Comprehensions, filter-like ones too, over numbers that are known at run time only; unpacking of run-time texts.
import torch
torch.manual_seed(0)
vals = torch.rand(5).tolist()
print([f"{v:.2f}" for v in vals])
print(sum(v for v in vals) > 1, any(v > 0.9 for v in vals), all(v < 1 for v in vals))
big = [v for v in vals if v > 0.5]
print(len(big), [round(v, 3) for v in big])
print(max(vals) == sorted(vals)[-1], min(vals) == sorted(vals)[0])
print([round(v, 2) for v in sorted(vals, reverse=True)])
for i, v in enumerate(big):
    print(i, f"{v:.3f}")
for a, b in zip(vals, big):
    print(f"{a:.2f} {b:.2f}")
print(list(map(lambda v: int(v * 10), vals)))

s = str(torch.tensor(1.5).item()) + ".x"
a, b, c = s.split(".")
print(a, b, c)
try:
    a, b = s.split(".")
except ValueError as e:
    print(e)
words = s.split(".")
print([w.upper() for w in words], any(w == "x" for w in words), all(len(w) > 1 for w in words))
