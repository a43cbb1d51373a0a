# enum: members, values, auto, IntEnum.
from enum import Enum, IntEnum, auto
class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3
print(Color.RED, Color.RED.name, Color.RED.value)
print(repr(Color.GREEN))
print([c.name for c in Color])
print(Color(2), Color['BLUE'])
print(Color.RED == Color.RED, Color.RED is Color.RED, Color.RED != Color.BLUE)
print(len(Color), Color.RED in Color)
class Mode(Enum):
    TRAIN = auto()
    EVAL = auto()
print(list(Mode))
d = {Color.RED: "r", Color.BLUE: "b"}
print(d[Color.BLUE])
print(isinstance(Color.RED, Color))
class P(IntEnum):
    LOW = 1
    HIGH = 10
print(P.LOW < P.HIGH, P.LOW + 1, int(P.HIGH), sorted([P.HIGH, P.LOW]))
print(f"{Color.RED}", f"{P.LOW}")
try:
    Color(9)
except ValueError as e:
    print(e)
