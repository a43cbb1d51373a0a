# Enumerations: the assignments of the class body become members, once, when the class is made.

class auto:
    pass

class EnumMeta:
    def __call__(cls, value):
        for member in cls._members_:
            if member._value_ == value:
                return member
        if not cls._members_:
            raise TypeError(f"{cls.__name__} has no members")
        raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")

    def __iter__(cls):
        return iter(cls._members_)

    def __len__(cls):
        return len(cls._members_)

    def __contains__(cls, value):
        return isinstance(value, cls) and any(value is member for member in cls._members_)

    def __getitem__(cls, name):
        return cls._member_map_[name]

EnumType = EnumMeta

def _is_member(name, value):
    if name.startswith("_") or callable(value):
        return False
    return not isinstance(value, (property, staticmethod, classmethod))

class Enum(metaclass=EnumMeta):
    _members_ = []
    _member_map_ = {}
    __members__ = {}

    def __init_subclass__(cls):
        members = []
        names = {}
        last = 0
        for name, value in cls.__dict__.items():
            if not _is_member(name, value):
                continue
            if isinstance(value, auto):
                value = cls._generate_next_value_(name, 1, len(members), [m._value_ for m in members])
            last = value
            member = None
            for known in members:
                if known._value_ == value:
                    member = known
            if member is None:
                member = cls._make_(name, value)
                members.append(member)
            names[name] = member
            setattr(cls, name, member)
        cls._members_ = members
        cls._member_map_ = names
        cls.__members__ = names

    def _generate_next_value_(name, start, count, last_values):
        for value in reversed(last_values):
            if isinstance(value, int):
                return value + 1
        return start

    @classmethod
    def _make_(cls, name, value):
        member = object.__new__(cls)
        member._name_ = name
        member._value_ = value
        if hasattr(cls, "_init_member_"):
            member._init_member_(value)
        own = cls.__init__
        if own is not Enum.__init__:
            if isinstance(value, tuple):
                own(member, *value)
            else:
                own(member, value)
        return member

    def __init__(self, *args):
        pass

    @property
    def name(self):
        return self._name_

    @property
    def value(self):
        return self._value_

    def __repr__(self):
        return f"<{type(self).__name__}.{self._name_}: {self._value_!r}>"

    def __str__(self):
        return f"{type(self).__name__}.{self._name_}"

    def __format__(self, spec):
        return format(str(self), spec)

    def __hash__(self):
        return hash(self._name_)

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self

def _number(value):
    return value._value_ if isinstance(value, Enum) else value

class IntEnum(Enum):
    def __str__(self):
        return str(self._value_)

    def __format__(self, spec):
        return format(self._value_, spec)

    def __int__(self):
        return self._value_

    def __index__(self):
        return self._value_

    def __float__(self):
        return float(self._value_)

    def __bool__(self):
        return self._value_ != 0

    def __hash__(self):
        return hash(self._value_)

    def __eq__(self, other):
        return self._value_ == _number(other)

    def __ne__(self, other):
        return self._value_ != _number(other)

    def __lt__(self, other):
        return self._value_ < _number(other)

    def __le__(self, other):
        return self._value_ <= _number(other)

    def __gt__(self, other):
        return self._value_ > _number(other)

    def __ge__(self, other):
        return self._value_ >= _number(other)

    def __add__(self, other):
        return self._value_ + _number(other)

    def __radd__(self, other):
        return other + self._value_

    def __sub__(self, other):
        return self._value_ - _number(other)

    def __rsub__(self, other):
        return other - self._value_

    def __mul__(self, other):
        return self._value_ * _number(other)

    def __rmul__(self, other):
        return other * self._value_

    def __truediv__(self, other):
        return self._value_ / _number(other)

    def __floordiv__(self, other):
        return self._value_ // _number(other)

    def __mod__(self, other):
        return self._value_ % _number(other)

    def __neg__(self):
        return -self._value_

    def __and__(self, other):
        return self._value_ & _number(other)

    def __or__(self, other):
        return self._value_ | _number(other)

class StrEnum(Enum):
    def _generate_next_value_(name, start, count, last_values):
        return name.lower()

    def __str__(self):
        return self._value_

    def __format__(self, spec):
        return format(self._value_, spec)

    def __hash__(self):
        return hash(self._value_)

    def __eq__(self, other):
        return self._value_ == _number(other)

    def __ne__(self, other):
        return self._value_ != _number(other)

    def __add__(self, other):
        return self._value_ + _number(other)

    def __len__(self):
        return len(self._value_)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._value_, name)

def unique(cls):
    for name, member in cls._member_map_.items():
        if member._name_ != name:
            raise ValueError(f"duplicate values found in {cls!r}: {name} -> {member._name_}")
    return cls
