import sys
n = int(sys.argv[1])
best = None
for i in range(n):
    v = (i * 7) % 5
    if best is None or v > best:
        best = v
print(best)
