if a: b
elif c: d
else: e
if a:
    if b:
        c
    elif d:
        e
for i in range(10):
    continue
else:
    break_
for a, (b, *c) in x, y: pass
while (x := f()): break
else:
    pass
with a: pass
with a as b, c as (d, e): pass
with (a, b): pass
with (a as b, c,): pass
with (a): pass
with (a, b) as c: pass
with (a).b as c, d: pass
with (yield_): pass
try:
    a
except B:
    c
except (D, E) as e:
    raise
except:
    raise F from e
else:
    g
finally:
    h
try: pass
finally: pass
try: pass
except* A as a: pass
assert a
assert a, "b"
raise a
pass; pass
