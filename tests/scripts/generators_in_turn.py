# Generators run between their items: order, infinite ones, send(), close(), as context managers.
def g():
    print("start")
    yield 1
    print("middle")
    yield 2
    print("end")
for x in g():
    print("got", x)
it = g()
print(next(it))

def naturals():
    n = 0
    while True:
        yield n
        n += 1
import itertools
print(list(itertools.islice(naturals(), 5)))
g = naturals()
print(next(g), next(g))
for x in naturals():
    if x > 3: break
    print(x)
def batches(data, size):
    for i in range(0, len(data), size):
        yield data[i:i + size]
for b in batches([1, 2, 3, 4, 5], 2): print(b)

def running():
    total, n = 0.0, 0
    mean = None
    while True:
        x = yield mean
        total += x
        n += 1
        mean = total / n
g = running()
next(g)
print(g.send(1), g.send(2), g.send(6))
g.close()
def gen():
    r = yield from [1, 2]
    yield 3
print(list(gen()))

from contextlib import contextmanager
import torch
@contextmanager
def section(name):
    print("begin", name)
    try:
        yield name.upper()
    finally:
        print("end", name)
with section("a") as s:
    print(s, torch.ones(2).sum().item())
with section("x"), section("y") as t:
    print(t)
try:
    with section("e"):
        raise ValueError("oops")
except ValueError as e:
    print("caught", e)

from contextlib import contextmanager
import torch
@contextmanager
def frozen(module):
    old = [p.requires_grad for p in module.parameters()]
    for p in module.parameters():
        p.requires_grad_(False)
    yield module
    for p, r in zip(module.parameters(), old):
        p.requires_grad_(r)
m = torch.nn.Linear(2, 2)
with frozen(m):
    print([p.requires_grad for p in m.parameters()])
print([p.requires_grad for p in m.parameters()])
@contextmanager
def swallow():
    try:
        yield
    except KeyError as e:
        print("swallowed", e)
with swallow():
    raise KeyError("k")
print("after")
