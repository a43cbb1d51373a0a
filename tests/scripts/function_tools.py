# lru_cache, cached_property, partial; wraps and decorators.
from functools import lru_cache, partial, reduce, wraps, cached_property
@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(50))
print(fib.cache_info())
class C:
    @cached_property
    def x(self):
        print("computed")
        return 3
c = C()
print(c.x, c.x)
p = partial(print, "a", sep="-")
p("b")
print(partial(int, base=2)("101"))

import functools, time
def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        t = time.time()
        r = fn(*args, **kwargs)
        assert time.time() - t >= 0
        print(f"{fn.__name__} called with {args} {kwargs}")
        return r
    return wrapper
@timed
def add(a, b=2):
    """doc"""
    return a + b
print(add(1), add(1, b=5), add.__name__, add.__doc__)
def repeat(n):
    def deco(fn):
        def w(*a):
            return [fn(*a) for _ in range(n)]
        return w
    return deco
@repeat(3)
def f(x): return x * 2
print(f(4))
class Count:
    def __init__(self, fn): self.fn, self.n = fn, 0
    def __call__(self, *a):
        self.n += 1
        return self.fn(*a)
@Count
def g(x): return x
g(1); g(2)
print(g.n)
