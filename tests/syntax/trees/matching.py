match x:
    case 1 | -2.5 | 1 + 2j | -1 - 2j | 'a' 'b' | b'c':
        pass
    case None | True | False: pass
    case a.b.c: pass
    case [] | () | [1, *_] : pass
    case (a, b, *c) if a > b: pass
    case d, *e: pass
    case (f) if f: pass
    case {'a': 1, b.c: [d], -1: _, **rest}: pass
    case {}: pass
    case A(): pass
    case a.B(1, c, d=2, e=[f],): pass
    case (1 | 2) as g: pass
    case [A(x=0) as h, i]: pass
    case _: pass
match x, *y:
    case *a, b: pass
match (x):
    case 1: match = 2
match -x:
    case 0: pass
match [x]:
    case [1]: print(match(x), case)
