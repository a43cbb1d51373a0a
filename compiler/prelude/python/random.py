# Python's random numbers: `_Generator` (in C++) is the Mersenne Twister; what is drawn from it stands here.
import math
from itertools import accumulate

class Random:
    def __init__(self, x=None):
        self._generator = _Generator()
        self._next_normal = None
        self.seed(x)

    def seed(self, a=None, version=2):
        self._generator.seed(a)
        self._next_normal = None

    def getstate(self):
        return (3, self._generator.getstate(), self._next_normal)

    def setstate(self, state):
        self._generator.setstate(state[1])
        self._next_normal = state[2]

    def random(self):
        return self._generator.random()

    def getrandbits(self, k):
        return self._generator.getrandbits(k)

    def _below(self, n):
        bits = n.bit_length()
        drawn = self._generator.getrandbits(bits)
        while drawn >= n:
            drawn = self._generator.getrandbits(bits)
        return drawn

    def randrange(self, start, stop=None, step=1):
        if stop is None:
            if start > 0:
                return self._below(start)
            raise ValueError("empty range for randrange()")
        width = stop - start
        if step == 1:
            if width > 0:
                return start + self._below(width)
            raise ValueError(f"empty range for randrange() ({start}, {stop}, {width})")
        if step == 0:
            raise ValueError("zero step for randrange()")
        n = (width + step - 1) // step if step > 0 else (width + step + 1) // step
        if n <= 0:
            raise ValueError("empty range for randrange()")
        return start + step * self._below(n)

    def randint(self, a, b):
        return self.randrange(a, b + 1)

    def choice(self, seq):
        if not len(seq):
            raise IndexError("Cannot choose from an empty sequence")
        return seq[self._below(len(seq))]

    def shuffle(self, x):
        for i in range(len(x) - 1, 0, -1):
            j = self._below(i + 1)
            x[i], x[j] = x[j], x[i]

    def sample(self, population, k, *, counts=None):
        n = len(population)
        if not 0 <= k <= n:
            raise ValueError("Sample larger than population or is negative")
        result = [None] * k
        setsize = 21
        if k > 5:
            setsize += 4 ** math.ceil(math.log(k * 3, 4))
        if n <= setsize:
            pool = list(population)
            for i in range(k):
                j = self._below(n - i)
                result[i] = pool[j]
                pool[j] = pool[n - i - 1]
        else:
            taken = set()
            for i in range(k):
                j = self._below(n)
                while j in taken:
                    j = self._below(n)
                taken.add(j)
                result[i] = population[j]
        return result

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        n = len(population)
        if cum_weights is None:
            if weights is None:
                return [population[math.floor(self.random() * (n + 0.0))] for _ in range(k)]
            cum_weights = list(accumulate(weights))
        if len(cum_weights) != n:
            raise ValueError("The number of weights does not match the population")
        total = cum_weights[-1] + 0.0
        if total <= 0.0:
            raise ValueError("Total of weights must be greater than zero")
        result = []
        for _ in range(k):
            point = self.random() * total
            at = 0
            while at < n - 1 and not point < cum_weights[at]:
                at += 1
            result.append(population[at])
        return result

    def uniform(self, a, b):
        return a + (b - a) * self.random()

    def triangular(self, low=0.0, high=1.0, mode=None):
        u = self.random()
        if high == low:
            return low
        c = 0.5 if mode is None else (mode - low) / (high - low)
        if u > c:
            u = 1.0 - u
            c = 1.0 - c
            low, high = high, low
        return low + (high - low) * math.sqrt(u * c)

    def normalvariate(self, mu=0.0, sigma=1.0):
        magic = 4 * math.exp(-0.5) / math.sqrt(2.0)
        while True:
            u1 = self.random()
            u2 = 1.0 - self.random()
            z = magic * (u1 - 0.5) / u2
            if z * z / 4.0 <= -math.log(u2):
                return mu + z * sigma

    def gauss(self, mu=0.0, sigma=1.0):
        z = self._next_normal
        self._next_normal = None
        if z is None:
            angle = self.random() * (2.0 * math.pi)
            radius = math.sqrt(-2.0 * math.log(1.0 - self.random()))
            z = math.cos(angle) * radius
            self._next_normal = math.sin(angle) * radius
        return mu + z * sigma

    def lognormvariate(self, mu, sigma):
        return math.exp(self.normalvariate(mu, sigma))

    def expovariate(self, lambd=1.0):
        return -math.log(1.0 - self.random()) / lambd

_shared = Random()

seed = _shared.seed
random = _shared.random
uniform = _shared.uniform
triangular = _shared.triangular
randint = _shared.randint
choice = _shared.choice
randrange = _shared.randrange
sample = _shared.sample
shuffle = _shared.shuffle
choices = _shared.choices
normalvariate = _shared.normalvariate
lognormvariate = _shared.lognormvariate
expovariate = _shared.expovariate
gauss = _shared.gauss
getrandbits = _shared.getrandbits
getstate = _shared.getstate
setstate = _shared.setstate
