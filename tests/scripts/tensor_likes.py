import torch
import functools

HANDLED = {}


def implements(function):
    def decorator(code):
        functools.update_wrapper(code, function)
        HANDLED[function] = code
        return code
    return decorator


class ScalarTensor(object):
    def __init__(self, n, value):
        self._n = n
        self._value = value

    def __repr__(self):
        return "ScalarTensor(N={}, value={})".format(self._n, self._value)

    def tensor(self):
        return self._value * torch.eye(self._n)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if kwargs is None:
            kwargs = {}
        if func not in HANDLED or not all(issubclass(t, (torch.Tensor, ScalarTensor)) for t in types):
            return NotImplemented
        return HANDLED[func](*args, **kwargs)


@implements(torch.mean)
def mean(input):
    return float(input._value) / input._n


def ensure_tensor(data):
    return data.tensor() if isinstance(data, ScalarTensor) else torch.as_tensor(data)


@implements(torch.add)
def add(input, other):
    if isinstance(input, ScalarTensor) and isinstance(other, ScalarTensor):
        return ScalarTensor(input._n, input._value + other._value)
    return torch.add(ensure_tensor(input), ensure_tensor(other))


d = ScalarTensor(2, 2)
print(d, torch.mean(d), torch.add(d, d), torch.add(d, torch.ones(2, 2)), torch.add(torch.ones(2, 2), d))
try:
    torch.mul(d, 3)
except TypeError as e:
    print(e)
for f in [lambda: torch.ones(2).add(d), lambda: torch.cat([torch.ones(2), d]), lambda: torch.ones(2) * d, lambda: d + torch.ones(2)]:
    try:
        print(f())
    except TypeError as e:
        print(e)
print(torch.ones(2) == d)


class MetadataTensor(object):
    def __init__(self, data, metadata=None, **kwargs):
        self._t = torch.as_tensor(data, **kwargs)
        self._metadata = metadata

    def __repr__(self):
        return "Metadata:\n{}\n\ndata:\n{}".format(self._metadata, self._t)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if kwargs is None:
            kwargs = {}
        metadatas = tuple(a._metadata for a in args if hasattr(a, '_metadata'))
        args = [getattr(a, '_t', a) for a in args]
        assert len(metadatas) > 0
        ret = func(*args, **kwargs)
        return MetadataTensor(ret, metadata=metadatas[0])


metadata = {'owner': 'Ministry of Silly Walks'}
m = MetadataTensor([[1, 2], [3, 4]], metadata=metadata)
t = torch.tensor([[1, 2], [1, 2]])
print(torch.add(t, m))
print(torch.mul(t, m))
print(torch.nn.functional.relu(MetadataTensor([-1., 2.], metadata="f")))
print(t * m, t.sub(m), torch.sum(m, dim=0, keepdim=True))


class Loud:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__, types, len(args), kwargs)
        return NotImplemented if func.__name__ == "eq" else args[0]


s = Loud()
print(torch.exp(s) is s, torch.sum(s, dim=0) is s, torch.stack([t, s])[0] is t)
print(t == s, (t @ s) is t)
t[0] = s
