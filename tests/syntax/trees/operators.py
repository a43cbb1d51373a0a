a + b * c - d
a ** -b ** c
-a ** b
not a and b or c and not d
a < b <= c != d is not e not in f
a if b else c if d else e
a | b ^ c & d << e >> f
~a @ b // c % d
lambda: 0
lambda a, /, b, *c, d=1, e, **f: a
lambda *, a: a
(y := 1) + (z := 2)
a, *b, c
x if y else lambda: z
await_ + async_
