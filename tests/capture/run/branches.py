import sys
n = int(sys.argv[1])
x = float(sys.argv[2])
if n > 5:
    y = x * 2
else:
    y = x - 1
print(y, n // 2, n % 4, n / 2, -n // 2)
z = "big" if x > 2 else "small"
print(z, n > 3 and x < 5, n == 7 or 1 / 0)
def sign(v):
    if v > 0:
        return 1
    if v < 0:
        return -1
    return 0
print(sign(x), sign(-n), sign(int(sys.argv[4])))
r = None
if n > 3:
    r = n
print(r is None, r)
if n > 100:
    q = 1
try:
    pass
finally:
    print("end")
print(f"{x:.3f} {n:5d}|{z:>6}|")
