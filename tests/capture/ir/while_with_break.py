import sys
n = int(sys.argv[1])
steps = 0
while n != 1:
    if n % 2 == 0:
        n = n // 2
    else:
        n = 3 * n + 1
    steps += 1
    if steps > 1000:
        break
print(n, steps)
