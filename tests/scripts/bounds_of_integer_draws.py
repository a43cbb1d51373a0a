# random_() without bounds draws what the dtype holds: 32 bits a draw, 64 for int64 and float64. super() with its two arguments.
import torch

for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.bool):
    torch.manual_seed(0)
    print(torch.empty(3, dtype=dtype).random_(), torch.rand(1))
torch.manual_seed(1)
print(torch.empty(2, dtype=torch.int64).random_(0, 2**60), torch.empty(2, dtype=torch.int64).random_(-(2**62) - 1, 2**62 + 1))
seed = torch.empty((), dtype=torch.int64).random_().item()
print(seed, torch.randperm(5, generator=torch.Generator().manual_seed(seed)))


class Base(torch.nn.Module):
    def __init__(self, n):
        super(Base, self).__init__()
        self.n = n

    def size(self):
        return self.n

    @classmethod
    def make(cls):
        return cls(1)


class Derived(Base):
    def __init__(self):
        super(Derived, self).__init__(3)

    def size(self):
        return super(Derived, self).size() + 1

    @classmethod
    def make(cls):
        return super(Derived, cls).make


print(Derived().size(), Derived.__mro__[1].__name__)
try:
    super(Derived, 3)
except TypeError as e:
    print(e)
try:
    super(3, 3)
except TypeError as e:
    print(e)
