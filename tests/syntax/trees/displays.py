()
(1,)
(1, 2)
[]
[1, *a]
{}
{1}
{1, *a}
{1: 2, **a, 'b': 3,}
[x for x in y if a if b for z in x]
{x for x, in y}
{x: y for x, *y in z}
(x for x in y)
f(x for x in y)
[[x for x in y] for y in z]
{(a := 1): 2}
