# spans
x = (a +
     b) * c
if (x):
    f(a, *b, c=d)[1:2].e
elif not y: z = [i for i in j
                 if k]
@dec
def f(a: int = 1, *b) -> c:
    return (a, b), lambda x=1: x
ä = 'ö' + ü; s = 'a' \
    'b'
with a as b: pass
try: pass
except E as e: pass
class A(B): x: int = (1)
a.b.c, = d
match a:
    case [1, A(b=c) as d]: pass
