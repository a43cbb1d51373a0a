from __future__ import annotations
import a
import a.b.c, d as e
from a import b
from a.b import c as d, e
from . import a
from .... import a
from ...a.b import (c, d as e,)
from a import *
