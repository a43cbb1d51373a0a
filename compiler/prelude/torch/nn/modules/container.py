"""Modules that hold modules or parameters."""
from collections import OrderedDict
import torch
from torch.nn.modules.module import Module, _indented
from torch.nn.parameter import Parameter


def _position(index, length):
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


class Sequential(Module):
    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(list(self._modules.values()))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return list(self._modules.values())[_position(index, len(self))]

    def __setitem__(self, index, module):
        name = list(self._modules.keys())[_position(index, len(self))]
        self._modules[name] = module

    def __delitem__(self, index):
        if isinstance(index, slice):
            for name in list(self._modules.keys())[index]:
                del self._modules[name]
        else:
            del self._modules[list(self._modules.keys())[_position(index, len(self))]]
        kept = list(self._modules.values())
        self._modules.clear()
        for i, module in enumerate(kept):
            self._modules[str(i)] = module

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def insert(self, index, module):
        kept = list(self._modules.values())
        kept.insert(index, module)
        self._modules.clear()
        for i, m in enumerate(kept):
            self._modules[str(i)] = m
        return self

    def pop(self, index):
        module = self[index]
        del self[index]
        return module

    def __add__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {str(type(other))} is given.")
        return Sequential(*(list(self) + list(other)))

    def __iadd__(self, other):
        return self.extend(other)

    def __mul__(self, times):
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return Sequential(*(list(self) * times))

    def forward(self, input):
        for module in self:
            input = module(input)
        return input


class ModuleList(Module):
    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(list(self._modules.values()))

    def __contains__(self, module):
        return any([module is m for m in self])

    def __getitem__(self, index):
        if isinstance(index, slice):
            return ModuleList(list(self._modules.values())[index])
        return list(self._modules.values())[_position(index, len(self))]

    def __setitem__(self, index, module):
        self._modules[str(_position(index, len(self)))] = module

    def __add__(self, other):
        return ModuleList(list(self) + list(other))

    def __iadd__(self, modules):
        return self.extend(modules)

    def __delitem__(self, index):
        kept = list(self._modules.values())
        del kept[index]
        self._modules.clear()
        for i, m in enumerate(kept):
            self._modules[str(i)] = m

    def pop(self, index):
        module = self[index]
        del self[index]
        return module

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def insert(self, index, module):
        kept = list(self._modules.values())
        kept.insert(index, module)
        self._modules.clear()
        for i, m in enumerate(kept):
            self._modules[str(i)] = m

    def __repr__(self):
        texts = [repr(m) for m in self]
        if not texts:
            return self._get_name() + "()"
        # Equal neighbours are written once, with their range.
        groups = []
        for i, text in enumerate(texts):
            if groups and groups[-1][2] == text:
                groups[-1][1] = i
            else:
                groups.append([i, i, text])
        lines = []
        for first, last, text in groups:
            if first == last:
                lines.append(f"({first}): " + _indented(text, 2))
            else:
                lines.append(f"({first}-{last}): {last - first + 1} x " + _indented(text, 2))
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(list(self._modules.keys()))

    def __contains__(self, key):
        return key in self._modules

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def clear(self):
        self._modules.clear()

    def keys(self):
        return self._modules.keys()

    def values(self):
        return self._modules.values()

    def items(self):
        return self._modules.items()

    def update(self, modules):
        for key, module in (modules.items() if hasattr(modules, "items") else modules):
            self[key] = module

    def pop(self, key):
        module = self[key]
        del self[key]
        return module


class ParameterList(Module):
    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter([self[i] for i in range(self._size)])

    def __iadd__(self, values):
        return self.extend(values)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return ParameterList(list(self)[index])
        return getattr(self, str(_position(index, self._size)))

    def __setitem__(self, index, value):
        setattr(self, str(_position(index, self._size)), value if isinstance(value, Parameter) else Parameter(value))

    def append(self, value):
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values):
        for v in values:
            self.append(v)
        return self

    def extra_repr(self):
        lines = []
        for i in range(self._size):
            p = self[i]
            lines.append(f"  ({i}): Parameter containing: [{p.dtype} of size {'x'.join([str(s) for s in p.size()])}]")
        return "\n".join(lines)


class ParameterDict(Module):
    def __init__(self, parameters=None):
        super().__init__()
        self._names = {}
        if parameters is not None:
            self.update(parameters)

    def __len__(self):
        return len(self._names)

    def __iter__(self):
        return iter(list(self._names.keys()))

    def __contains__(self, key):
        return key in self._names

    def __getitem__(self, key):
        return getattr(self, key)

    def extra_repr(self):
        lines = []
        for key, p in self.items():
            lines.append(f"  ({key}): Parameter containing: [{torch.typename(p)} of size {'x'.join([str(s) for s in p.size()])}]")
        return "\n".join(lines)

    def __delitem__(self, key):
        del self._names[key]
        delattr(self, key)

    def pop(self, key):
        value = self[key]
        del self[key]
        return value

    def get(self, key, default=None):
        return self[key] if key in self else default

    def clear(self):
        for key in list(self._names):
            del self[key]

    def __setitem__(self, key, value):
        self._names[key] = None
        setattr(self, key, value if isinstance(value, Parameter) else Parameter(value))

    def keys(self):
        return self._names.keys()

    def values(self):
        return [self[k] for k in self._names]

    def items(self):
        return [(k, self[k]) for k in self._names]

    def update(self, parameters):
        for key, value in (parameters.items() if hasattr(parameters, "items") else parameters):
            self[key] = value
