'a' "b" '''c''' """d"""
r'\n' R"\t" u'é'
b'x' B"y" br'\z' rB'\z'
f''
f'a{b}c'
f'{a}{b!r}{c!s:>10}{d!a:{w}.{p}}{e:%Y-%m}'
f'{{}}{a}{{{b}}}'
f'{a = }{b=!s}{c=:.2f}'
f'{a["b"]}{ {1: 2}[1] }{(lambda x: x)(1)}{a != b}{a <= b}'
f'{x:{"a" if b else "c"}}' 'plain' f"{f'{nested}'}"
rf'\d{x}\{y}' fr"\{z}"
f'''{
a
+ b}'''
'a' f'b{c}' 'd' rf'\e'
f'\N{BULLET}{x}\x41'
f'{a, b}{*a, b}'
