x = 1
a = b = c
a, b = 1, 2
(a, b), [c, *d] = x
*a, = x
x.y[0].z = 1
x += 1; x -= 1; x *= 1; x @= 1; x /= 1; x //= 1; x %= 1; x **= 1; x <<= 1; x >>= 1; x &= 1; x |= 1; x ^= 1
x.y += yield_
x: int
x: int = 5
(x): int = 5
x.y: list[int] = a, b
del x, y.z, (a, [b]), c[0]
