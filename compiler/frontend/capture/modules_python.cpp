#include "compiler/frontend/capture/modules_python.h"

namespace sifr::capture {

const char* const functools_py = R"py(
def reduce(function, iterable, *initial):
    items = iter(iterable)
    if initial:
        value = initial[0]
    else:
        try:
            value = next(items)
        except StopIteration:
            raise TypeError("reduce() of empty iterable with no initial value")
    for item in items:
        value = function(value, item)
    return value

class _CacheInfo:
    def __init__(self, hits, misses, maxsize, currsize):
        self.hits = hits
        self.misses = misses
        self.maxsize = maxsize
        self.currsize = currsize
    def __iter__(self):
        return iter((self.hits, self.misses, self.maxsize, self.currsize))
    def __repr__(self):
        return f"CacheInfo(hits={self.hits}, misses={self.misses}, maxsize={self.maxsize}, currsize={self.currsize})"

def _cached(function, maxsize):
    known = {}
    counts = [0, 0]
    @wraps(function)
    def cached(*args, **kwargs):
        key = (args, tuple(sorted(kwargs.items())))
        if key in known:
            counts[0] += 1
            value = known[key]
            if maxsize is not None:
                del known[key]
                known[key] = value
            return value
        value = function(*args, **kwargs)
        counts[1] += 1
        if maxsize is not None and len(known) >= maxsize:
            for oldest in known:
                break
            del known[oldest]
        known[key] = value
        return value
    def cache_info():
        return _CacheInfo(counts[0], counts[1], maxsize, len(known))
    def cache_clear():
        known.clear()
        counts[0] = counts[1] = 0
    cached.cache_info = cache_info
    cached.cache_clear = cache_clear
    return cached

def lru_cache(maxsize=128, typed=False):
    if callable(maxsize):
        return _cached(maxsize, 128)
    def wrap(function):
        return _cached(function, maxsize)
    return wrap

def cache(function):
    return _cached(function, None)

def cached_property(function):
    name = "<cached " + function.__name__ + ">"
    def read(self):
        if not hasattr(self, name):
            object.__setattr__(self, name, function(self))
        return getattr(self, name)
    return property(read)

def total_ordering(cls):
    def le(self, other):
        return self < other or self == other
    def gt(self, other):
        return not (self < other or self == other)
    def ge(self, other):
        return not self < other
    cls.__le__ = le
    cls.__gt__ = gt
    cls.__ge__ = ge
    return cls

def cmp_to_key(compare):
    class Key:
        def __init__(self, value):
            self.value = value
        def __lt__(self, other):
            return compare(self.value, other.value) < 0
        def __eq__(self, other):
            return compare(self.value, other.value) == 0
    return Key
)py";

const char* const itertools_py = R"py(
class count:
    def __init__(self, start=0, step=1):
        self.value = start
        self.step = step
    def __iter__(self):
        return self
    def __next__(self):
        value = self.value
        self.value = value + self.step
        return value

class cycle:
    def __init__(self, iterable):
        self.items = list(iterable)
        self.position = 0
    def __iter__(self):
        return self
    def __next__(self):
        if not self.items:
            raise StopIteration
        item = self.items[self.position % len(self.items)]
        self.position += 1
        return item

class repeat:
    def __init__(self, value, times=None):
        self.value = value
        self.left = times
    def __iter__(self):
        return self
    def __next__(self):
        if self.left is not None:
            if self.left <= 0:
                raise StopIteration
            self.left -= 1
        return self.value

class _Chain:
    def __call__(self, *iterables):
        return iter([item for it in iterables for item in it])
    def from_iterable(self, iterables):
        return iter([item for it in iterables for item in it])

chain = _Chain()

def product(*iterables, repeat=1):
    pools = [tuple(it) for it in iterables] * repeat
    result = [()]
    for pool in pools:
        result = [prefix + (item,) for prefix in result for item in pool]
    return iter(result)

def permutations(iterable, r=None):
    pool = tuple(iterable)
    n = len(pool)
    r = n if r is None else r
    result = []
    def extend(chosen):
        if len(chosen) == r:
            result.append(tuple(pool[i] for i in chosen))
            return
        for i in range(n):
            if i not in chosen:
                extend(chosen + (i,))
    if r <= n:
        extend(())
    return iter(result)

def combinations(iterable, r):
    pool = tuple(iterable)
    result = []
    def extend(chosen, start):
        if len(chosen) == r:
            result.append(tuple(pool[i] for i in chosen))
            return
        for i in range(start, len(pool)):
            extend(chosen + (i,), i + 1)
    extend((), 0)
    return iter(result)

def combinations_with_replacement(iterable, r):
    pool = tuple(iterable)
    result = []
    def extend(chosen, start):
        if len(chosen) == r:
            result.append(tuple(pool[i] for i in chosen))
            return
        for i in range(start, len(pool)):
            extend(chosen + (i,), i)
    extend((), 0)
    return iter(result)

def accumulate(iterable, func=None, *, initial=None):
    result = []
    empty = True
    total = None
    if initial is not None:
        total = initial
        empty = False
        result.append(total)
    for item in iterable:
        if empty:
            total = item
            empty = False
        else:
            total = total + item if func is None else func(total, item)
        result.append(total)
    return iter(result)

def islice(iterable, *bounds):
    start, stop, step = 0, None, 1
    if len(bounds) == 1:
        stop = bounds[0]
    elif len(bounds) == 2:
        start, stop = bounds
    else:
        start, stop, step = bounds
        step = 1 if step is None else step
    start = 0 if start is None else start
    items = iter(iterable)
    result = []
    position = 0
    missing = object()
    while stop is None or position < stop:
        item = next(items, missing)
        if item is missing:
            break
        if position >= start and (position - start) % step == 0:
            result.append(item)
        position += 1
    return iter(result)

def takewhile(predicate, iterable):
    result = []
    for item in iterable:
        if not predicate(item):
            break
        result.append(item)
    return iter(result)

def dropwhile(predicate, iterable):
    result = []
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        result.append(item)
    return iter(result)

def starmap(function, iterable):
    return iter([function(*args) for args in iterable])

def filterfalse(predicate, iterable):
    return iter([item for item in iterable if not (predicate(item) if predicate is not None else item)])

def compress(data, selectors):
    return iter([d for d, s in zip(data, selectors) if s])

def pairwise(iterable):
    items = list(iterable)
    return iter(list(zip(items, items[1:])))

def zip_longest(*iterables, fillvalue=None):
    lists = [list(it) for it in iterables]
    n = max([len(l) for l in lists]) if lists else 0
    return iter([tuple(l[i] if i < len(l) else fillvalue for l in lists) for i in range(n)])

def groupby(iterable, key=None):
    groups = []
    for item in iterable:
        k = item if key is None else key(item)
        if groups and groups[-1][0] == k:
            groups[-1][1].append(item)
        else:
            groups.append((k, [item]))
    return iter([(k, iter(items)) for k, items in groups])

def tee(iterable, n=2):
    items = list(iterable)
    return tuple(iter(list(items)) for _ in range(n))
)py";

const char* const collections_py = R"py(
class deque:
    def __init__(self, iterable=(), maxlen=None):
        self.maxlen = maxlen
        self._items = []
        self.extend(iterable)
    def append(self, item):
        self._items.append(item)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            del self._items[0]
    def appendleft(self, item):
        self._items.insert(0, item)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop()
    def extend(self, iterable):
        for item in iterable:
            self.append(item)
    def extendleft(self, iterable):
        for item in iterable:
            self.appendleft(item)
    def pop(self):
        if not self._items:
            raise IndexError("pop from an empty deque")
        return self._items.pop()
    def popleft(self):
        if not self._items:
            raise IndexError("pop from an empty deque")
        return self._items.pop(0)
    def clear(self):
        self._items.clear()
    def copy(self):
        return deque(self._items, self.maxlen)
    def count(self, item):
        return self._items.count(item)
    def index(self, item):
        return self._items.index(item)
    def remove(self, item):
        self._items.remove(item)
    def reverse(self):
        self._items.reverse()
    def rotate(self, n=1):
        if self._items:
            n = n % len(self._items)
            self._items = self._items[len(self._items) - n:] + self._items[:len(self._items) - n]
    def __len__(self):
        return len(self._items)
    def __iter__(self):
        return iter(self._items)
    def __reversed__(self):
        return reversed(self._items)
    def __contains__(self, item):
        return item in self._items
    def __getitem__(self, index):
        if isinstance(index, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        if index >= len(self._items) or index < -len(self._items):
            raise IndexError("deque index out of range")
        return self._items[index]
    def __setitem__(self, index, value):
        if index >= len(self._items) or index < -len(self._items):
            raise IndexError("deque index out of range")
        self._items[index] = value
    def __eq__(self, other):
        return isinstance(other, deque) and self._items == other._items
    def __repr__(self):
        if self.maxlen is None:
            return f"deque({self._items!r})"
        return f"deque({self._items!r}, maxlen={self.maxlen})"
)py";

const char* const dataclasses_py = R"py(
class _Missing:
    pass

MISSING = _Missing()

class Field:
    def __init__(self, default, default_factory, init, repr, compare):
        self.name = ""
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare

def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True, metadata=None, kw_only=False):
    return Field(default, default_factory, init, repr, compare)

class FrozenInstanceError(AttributeError):
    pass

def _fields_of(cls):
    known = {}
    for base in reversed(cls.__mro__):
        if "__dataclass_own_fields__" in [n for n in dir(base)] and base is not object:
            for f in base.__dataclass_own_fields__:
                known[f.name] = f
    return list(known.values())

def _process(cls, init, repr_, eq, order, frozen):
    own = []
    annotations = cls.__annotations__ if hasattr(cls, "__annotations__") else {}
    for name in annotations:
        default = getattr(cls, name, MISSING)
        if isinstance(default, Field):
            f = default
        else:
            f = Field(default, MISSING, True, True, True)
        f.name = name
        own.append(f)
        if f.default is not MISSING:
            setattr(cls, name, f.default)
        elif isinstance(default, Field):
            delattr(cls, name)
    cls.__dataclass_own_fields__ = own
    fields_ = _fields_of(cls)
    cls.__dataclass_fields__ = {f.name: f for f in fields_}
    cls.__match_args__ = tuple(f.name for f in fields_ if f.init)
    if init:
        def __init__(self, *args, **kwargs):
            wanted = [f for f in fields_ if f.init]
            if len(args) > len(wanted):
                least = len([f for f in wanted if f.default is MISSING and f.default_factory is MISSING]) + 1
                most = len(wanted) + 1
                takes = f"{most}" if least == most else f"from {least} to {most}"
                raise TypeError(f"{cls.__qualname__}.__init__() takes {takes} positional arguments but {len(args) + 1} were given")
            values = {}
            for f, value in zip(wanted, args):
                values[f.name] = value
            for name, value in kwargs.items():
                if name in values:
                    raise TypeError(f"{cls.__qualname__}.__init__() got multiple values for argument '{name}'")
                if name not in [f.name for f in wanted]:
                    raise TypeError(f"{cls.__qualname__}.__init__() got an unexpected keyword argument '{name}'")
                values[name] = value
            missing = [f.name for f in wanted if f.name not in values and f.default is MISSING and f.default_factory is MISSING]
            if missing:
                names = [f"'{n}'" for n in missing]
                said = names[0] if len(names) == 1 else " and ".join(names) if len(names) == 2 else ", ".join(names[:-1]) + ", and " + names[-1]
                plural = "" if len(missing) == 1 else "s"
                raise TypeError(f"{cls.__qualname__}.__init__() missing {len(missing)} required positional argument{plural}: {said}")
            for f in fields_:
                if f.name in values:
                    object.__setattr__(self, f.name, values[f.name])
                elif f.default_factory is not MISSING:
                    object.__setattr__(self, f.name, f.default_factory())
                elif f.default is not MISSING:
                    object.__setattr__(self, f.name, f.default)
            if hasattr(self, "__post_init__"):
                self.__post_init__()
        cls.__init__ = __init__
    if repr_ and not any("__repr__" in _own_names(c) for c in cls.__mro__ if c is cls):
        def __repr__(self):
            parts = [f"{f.name}={getattr(self, f.name)!r}" for f in fields_ if f.repr]
            return f"{type(self).__qualname__}({', '.join(parts)})"
        cls.__repr__ = __repr__
    def key(self):
        return tuple(getattr(self, f.name) for f in fields_ if f.compare)
    if eq and "__eq__" not in _own_names(cls):
        def __eq__(self, other):
            if type(self) is not type(other):
                return NotImplemented
            return key(self) == key(other)
        cls.__eq__ = __eq__
        if frozen:
            def __hash__(self):
                return hash(key(self))
            cls.__hash__ = __hash__
    if order:
        def __lt__(self, other):
            return key(self) < key(other)
        def __le__(self, other):
            return key(self) <= key(other)
        def __gt__(self, other):
            return key(self) > key(other)
        def __ge__(self, other):
            return key(self) >= key(other)
        cls.__lt__ = __lt__
        cls.__le__ = __le__
        cls.__gt__ = __gt__
        cls.__ge__ = __ge__
    if frozen:
        def __setattr__(self, name, value):
            raise FrozenInstanceError(f"cannot assign to field '{name}'")
        cls.__setattr__ = __setattr__
    return cls

def _own_names(cls):
    inherited = []
    for base in cls.__mro__[1:]:
        if base is not object:
            inherited = inherited + dir(base)
    return [n for n in dir(cls) if n not in inherited and n not in dir(object)]

def dataclass(cls=None, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False, slots=False, kw_only=False, match_args=True):
    def wrap(c):
        return _process(c, init, repr, eq, order, frozen)
    return wrap if cls is None else wrap(cls)

def fields(instance):
    return tuple(instance.__dataclass_fields__.values())

def asdict(instance):
    def convert(value):
        if hasattr(value, "__dataclass_fields__"):
            return asdict(value)
        if isinstance(value, list):
            return [convert(v) for v in value]
        if isinstance(value, tuple):
            return tuple(convert(v) for v in value)
        if isinstance(value, dict):
            return {k: convert(v) for k, v in value.items()}
        return value
    return {name: convert(getattr(instance, name)) for name in instance.__dataclass_fields__}

def astuple(instance):
    return tuple(getattr(instance, name) for name in instance.__dataclass_fields__)

def replace(instance, **changes):
    values = {name: getattr(instance, name) for name in instance.__dataclass_fields__}
    values.update(changes)
    return type(instance)(**values)

def is_dataclass(obj):
    return hasattr(obj, "__dataclass_fields__")
)py";

const char* const string_py = R"py(
ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = digits + "abcdef" + "ABCDEF"
octdigits = "01234567"
punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
whitespace = " \t\n\r\x0b\x0c"
)py";

const char* const statistics_py = R"py(
class StatisticsError(ValueError):
    pass

def mean(data):
    items = list(data)
    if not items:
        raise StatisticsError("mean requires at least one data point")
    return sum(items) / len(items)

def fmean(data):
    return float(mean(data))

def median(data):
    items = sorted(data)
    n = len(items)
    if n == 0:
        raise StatisticsError("no median for empty data")
    if n % 2 == 1:
        return items[n // 2]
    return (items[n // 2 - 1] + items[n // 2]) / 2

def variance(data):
    items = list(data)
    m = mean(items)
    return sum((x - m) ** 2 for x in items) / (len(items) - 1)

def pvariance(data):
    items = list(data)
    m = mean(items)
    return sum((x - m) ** 2 for x in items) / len(items)

def stdev(data):
    return variance(data) ** 0.5

def pstdev(data):
    return pvariance(data) ** 0.5
)py";

}  // namespace sifr::capture
