def f(): return
def f(a, b: int, /, c, d=1, *e: str, g, h: float = 2, **i: dict) -> None:
    "doc"
    return a, *b
def f(*, a): yield
def f(*a: *b): x = yield from a; (yield 1, 2)
@a.b
@c(d)
def f(x): return lambda y: x + y
async def f(a):
    async for b in a: await c
    async with d as e, g: return [h async for h in i]
class A: pass
class A(): pass
@d
class A(B, *c, metaclass=D, **e):
    x: int = 1
    def f(self): nonlocal_ = global_
    async def g(self): pass
def f():
    global a, b
    def g():
        nonlocal c
    c = 1
