f()
f(a, *b, c, d=1, *e, **g, h=2, **i)
f(a)(b).c[d](e)
f(a := 1, b)
x[1]
x[1:2]
x[:, None, ..., ::2, 1:, :1, a:b:c]
x[1,]
x[(1, 2)]
x[*a]
x[a := 1]
x[(a := 1):2]
print("a", end="", sep=" ")
