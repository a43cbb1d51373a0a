import functools
import itertools
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field


def f(a, b=2, *rest, c, d=4, **more):
    return (a, b, rest, c, d, more)


print(f(1, c=3), f(1, 5, 6, 7, c=8, e=9), f(*[1, 2], **{"c": 3, "z": 0}))


def counter():
    n = 0

    def step(by=1):
        nonlocal n
        n += by
        return n

    return step


c = counter()
c(), c(5)
print(c())
fs = [lambda x, k=k: x * k for k in range(3)]
print([g(10) for g in fs], (lambda *a: a)(1, 2))


def logged(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        print("call", function.__name__, args)
        return function(*args, **kwargs)

    return inner


@logged
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(3))


def gen(n):
    for i in range(n):
        yield i
        if i == 2:
            yield from "ab"


print(list(gen(4)), sum(x * x for x in gen(3) if isinstance(x, int)))
print(functools.reduce(lambda x, y: x * y, [1, 2, 3, 4]), functools.partial(f, 1, c=0)(2))
print(list(itertools.product([1, 2], "ab")), list(itertools.combinations(range(4), 2)), list(itertools.chain([1], (2, 3))))
print(list(zip([1, 2, 3], "ab")), list(enumerate("xy", 1)), dict(zip("ab", [1, 2])), list(map(str, [1, 2])), list(filter(None, [0, 1, 2])))
P = namedtuple("P", "x y")
p = P(1, y=2)
x, y = p
print(p, p.x + y, p._replace(x=5), p == (1, 2))
d = defaultdict(list)
d["a"].append(1)
print(dict(d), Counter("hello").most_common(2), OrderedDict([("b", 1), ("a", 2)]))
q = deque([1, 2, 3], maxlen=3)
q.append(4)
q.appendleft(0)
print(q, list(q))


@dataclass
class Config:
    rate: float = 0.1
    sizes: list = field(default_factory=list)
    name: str = "n"

    def twice(self):
        return self.rate * 2


cfg = Config(sizes=[1])
print(cfg, cfg.twice(), cfg == Config(0.1, [1]), Config().sizes)


def outer():
    try:
        return "try"
    finally:
        print("finally runs")


print(outer())
first, *middle, last = range(5)
print(first, middle, last, [*middle, *"xy"], {**{"a": 1}, "b": 2})
(m, [n, o]), k = (1, [2, 3]), 4
print(m, n, o, k)
if (w := len("walrus")) > 3:
    print(w)


def classify(v):
    match v:
        case 0:
            return "zero"
        case [a, *rest]:
            return f"list {a} {rest}"
        case {"k": value}:
            return f"dict {value}"
        case str() as s if len(s) > 2:
            return f"long {s}"
        case _:
            return "other"


print([classify(v) for v in (0, [1, 2, 3], {"k": 9}, "abc", "a", 3.5)])
try:
    try:
        {}["missing"]
    except KeyError as e:
        raise ValueError("bad") from e
except (TypeError, ValueError) as e:
    print(type(e).__name__, e, e.args)
else:
    print("no")
finally:
    print("done")
for i in range(3):
    for j in range(3):
        if j == 1:
            continue
        if i == 1:
            break
        print(i, j, end=" ")
    else:
        print("|", end=" ")
print()
