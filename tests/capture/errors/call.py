def f(a, b, *, scale=1):
    return a
f(1, 2, scal=3)
