# Exceptions that depend on the run, caught: raised, asserted, of checks; in functions, loops, nested and with `finally`.
import torch


class EarlyStop(Exception):
    def __init__(self, step, loss):
        super().__init__(f"stopped at {step}")
        self.step = step
        self.loss = loss


def check(x):
    if x.sum().item() < 0:
        raise ValueError("negative sum")
    return x.sqrt()


def safe(x):
    try:
        if x.item() == 0:
            raise ZeroDivisionError("zero")
        return 1 / x.item()
    except ZeroDivisionError:
        return float("inf")
    finally:
        print("finally")


for x in [torch.ones(3), -torch.ones(3)]:
    try:
        y = check(x)
        print("ok", y)
    except ValueError as e:
        print("error:", e)
    else:
        print("else")

t = torch.arange(4.0)
try:
    assert t.max().item() < 2, "too large"
    print("no")
except AssertionError as e:
    print("assertion:", e)

n = torch.tensor(0).item()
try:
    print(10 / n)
except ZeroDivisionError as e:
    print("caught", e)
names = {0: "a", 1: "b"}
k = torch.tensor(7).item()
try:
    print(names[k])
except KeyError as e:
    print("no key", e)
try:
    print([1, 2, 3][k])
except IndexError as e:
    print("caught", e)

x = torch.tensor(10.0)
try:
    for step in range(100):
        x = x * 0.5
        if x.item() < 0.1:
            raise EarlyStop(step, x.item())
    print("never")
except EarlyStop as e:
    print(e, e.step, round(e.loss, 4))

w = torch.tensor([1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=100.0)
try:
    for step in range(200):
        loss = (w**2).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if not torch.isfinite(loss):
            raise RuntimeError("loss is not finite at step %d" % step)
except RuntimeError as e:
    print("caught:", e)

try:
    try:
        if t[2].item() == 2:
            raise KeyError("inner")
        print("not")
    except ValueError:
        print("wrong")
    finally:
        print("cleanup")
except KeyError as e:
    print("outer", e)

good, errors = [], 0
for v in [1.0, -4.0, 9.0]:
    try:
        good.append(check(torch.tensor([v])).item())
    except ValueError:
        errors += 1
print(good, errors)
print(safe(torch.tensor(0.0)), safe(torch.tensor(4.0)))
with torch.no_grad():
    try:
        with torch.enable_grad():
            if t[1].item() == 1:
                raise ValueError("inside of a mode")
    except ValueError as e:
        print(e, torch.is_grad_enabled())
