# abc: what is abstract cannot be made; descriptors, singletons, registries.
from abc import ABC, abstractmethod
class Base(ABC):
    @abstractmethod
    def f(self): ...
    @abstractmethod
    def g(self): ...
    def h(self):
        return self.f() + 1
class A(Base):
    def f(self): return 1
    def g(self): return 2
print(A().h())
try:
    Base()
except TypeError as e:
    print(e)
class B(Base):
    def f(self): return 1
try:
    B()
except TypeError as e:
    print(e)
print(issubclass(A, Base), isinstance(A(), Base))

class Reg:
    registry = {}
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Reg.registry[cls.__name__] = cls
class A(Reg): pass
class B(Reg): pass
print(sorted(Reg.registry))
class Desc:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, obj, owner=None):
        if obj is None: return self
        return getattr(obj, self.name, 0)
    def __set__(self, obj, value):
        if value < 0: raise ValueError("negative")
        setattr(obj, self.name, value)
class P:
    x = Desc()
p = P()
p.x = 5
print(p.x)
try:
    p.x = -1
except ValueError as e:
    print(e)
class S:
    _inst = None
    def __new__(cls):
        if cls._inst is None:
            cls._inst = super().__new__(cls)
        return cls._inst
print(S() is S())
