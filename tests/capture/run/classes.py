class Shape:
    count = 0

    def __init__(self, name):
        self.name = name
        Shape.count += 1

    def area(self):
        raise NotImplementedError(f"{type(self).__name__}.area")

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r})"

    @property
    def label(self):
        return self.name.upper()

    @label.setter
    def label(self, value):
        self.name = value.lower()

    @staticmethod
    def unit():
        return "m"

    @classmethod
    def make(cls, *args, **kwargs):
        return cls(*args, **kwargs)


class Square(Shape):
    def __init__(self, side, name="square"):
        super().__init__(name)
        self.side = side

    def area(self):
        return self.side ** 2

    def __eq__(self, other):
        return isinstance(other, Square) and self.side == other.side

    def __hash__(self):
        return hash(self.side)

    def __lt__(self, other):
        return self.side < other.side

    def __add__(self, other):
        return Square(self.side + other.side)

    def __radd__(self, other):
        return self if other == 0 else NotImplemented


class Box:
    def __init__(self):
        self.items = {}

    def __setitem__(self, key, value):
        self.items[key] = value

    def __getitem__(self, key):
        return self.items[key]

    def __len__(self):
        return len(self.items)

    def __contains__(self, key):
        return key in self.items

    def __iter__(self):
        return iter(sorted(self.items))

    def __call__(self, *args):
        return sum(args)

    def __enter__(self):
        print("enter")
        return self

    def __exit__(self, kind, value, traceback):
        print("exit", kind.__name__ if kind else None, value)
        return kind is KeyError

    def __getattr__(self, name):
        if name.startswith("get_"):
            return lambda: self.items[name[4:]]
        raise AttributeError(f"no {name}")


a, b = Square(2), Square.make(3, name="b")
print(a, b, a.area(), b.label, Shape.count, Square.unit())
b.label = "Big"
print(b.name, a == Square(2), a != b, a < b, sorted([b, a]), sum([a, b]).side, {a: 1}[Square(2)])
try:
    Shape("s").area()
except NotImplementedError as e:
    print("not there:", e)
with Box() as box:
    box["k"] = 1
    box["a"] = 2
    print(len(box), "k" in box, list(box), box(1, 2, 3), box.get_k())
    raise KeyError("swallowed")
try:
    box.other
except AttributeError as e:
    print(e)


class Left:
    def who(self):
        return "left"


class Right:
    def who(self):
        return "right"


class Both(Left, Right):
    def who(self):
        return "both " + super().who()


print(Both().who(), [c.__name__ for c in Both.__mro__], issubclass(Both, Right), isinstance(3, (str, int)))


class Stack(list):
    def push(self, x):
        self.append(x)
        return self


s = Stack()
s.push(1).push(2)
print(s, len(s), s[-1], isinstance(s, list))


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


print(list(Countdown(3)), max(Countdown(5)), [x for x in Countdown(4) if x % 2])
print(hasattr(a, "side"), getattr(a, "nothing", "default"), callable(box), vars(a))
