import math

print(7 // -2, -7 % 3, 7 % -3, -7 // 2, 2 ** 10, 2 ** -1, 10 ** 25, -2 ** 2, 5 / 2, 6 / 3, 1e16, 1e-7, 0.1 + 0.2)
print(1 << 70, (1 << 70) >> 68, ~5, 6 & 3, 6 | 3, 6 ^ 3, -1 & 0xff, True + True, True & False)
print(1 < 2 < 3, 1 < 2 > 3, 3 == 3.0, 2 ** 53 == 2.0 ** 53, 2 ** 53 + 1 == 2.0 ** 53, float("nan") != float("nan"), 0.1 + 0.2 == 0.3)
print(int("42"), int("-0x1f", 16), int(3.99), int(-3.99), float("1e3"), round(2.5), round(3.5), round(2.675, 2), round(-1.5), round(1234, -2))
print(abs(-3), abs(-2.5), divmod(-7, 2), pow(3, 4, 5), min(3, 1, 2), max([1.5, 2]), sum([1, 2, 3], 10), bin(10), hex(255), oct(8))
print(math.sqrt(2), math.floor(-1.5), math.ceil(1.2), math.log(8, 2), math.exp(0), math.factorial(20), math.gcd(12, 18), math.isclose(0.1 + 0.2, 0.3), math.pi, math.comb(5, 2))
print(f"{3.14159:.2f}|{42:>6}|{42:<6}|{42:^6}|{1234567:,}|{0.5:%}|{255:#x}|{-3:+d}|{1e10:g}|{3:05d}|{2.0!r:>8}|{'s':*^5}")
print("%d %5.2f %s %r %-4d| %x %e" % (3, 2.5, "a", "b", 7, 255, 12345.678), "{:>4}{}{a[0]}{b.real}".format(1, 2, a=[3], b=4))
x = 5
print(f"{x=} {x + 1 = } {x!r} {'q'!r:>5} {x:{x}d}|")
print([1, 2] + [3], [0] * 3, "ab" * 2, (1,) + (2,), [1, 2] < [1, 3], (1, "a") == (1, "a"), "abc" < "abd")
s = "Hello, World"
print(s.lower(), s[::-1], s[-5:], s.split(", "), s.replace("o", "0"), s.find("W"), "-".join("abc"), s.startswith("He"), s.count("l"), s.center(20, "*"))
print("  x ".strip() + "|", "a,b,,c".split(","), " a  b ".split(), "abc".upper(), "x".isdigit(), "12".isdigit(), "abc".title(), "a\tb\n".encode(), repr("it's\n"))
l = [3, 1, 2]
l.sort()
l.append(5)
l.insert(0, 9)
l.extend([7, 8])
print(l, l.pop(), l.pop(0), l.index(5), l[1:3], l[::2], l[-1], sorted(l, reverse=True), sorted("bca", key=lambda c: -ord(c)), 5 in l)
l[1:2] = ["x", "y"]
del l[0]
print(l, l.count("x"), list(reversed(l)))
d = {"a": 1, 2: [3]}
d["z"] = d.get("q", 0)
d.update(b=5)
print(d, list(d), list(d.values()), d.pop("a"), "a" in d, sorted({3, 1, 2}), {1, 2} | {3}, {1, 2} & {2}, len(d), {k: v for k, v in d.items() if v})
print(list(range(10, 0, -3)), range(3), 5 in range(0, 10, 5), len(range(0, 10, 3)), range(10)[2:5], any([0, 1]), all([]), None is None, not [])
print(type(1), type("a").__name__, type(None), isinstance(True, int), 1 if [] else 2, [] or "x", 0 and 1)
print(1e300 * 1e10, -0.0, 1.0, 100000000000000000.0, 123456789.123, 5e-324, float("inf"), 2.0 ** 0.5)
print(chr(97), ord("é"), "é".upper(), len("naïve"), "\u4e2d"[0], sum([0.1] * 3), 3 * "ab", hash(5) == 5)
