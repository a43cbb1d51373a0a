import sys
n = int(sys.argv[1])
total = 0
for i in range(n):
    total += i * i
print(total)
k = 0
while k * k < n * 10:
    k += 1
print(k)
for i in range(n):
    if i * i > 10:
        break
else:
    print("not reached")
print("i", i)
a, b = 0, 1
for _ in range(50):
    a, b = b, a + b
print(a)
xs = []
for i in range(n):
    xs.append(i * 0.5)
print(xs, len(xs), sum(xs), max(xs))
def find(m):
    for j in range(100):
        if j * j >= m:
            return j
    return -1
print(find(n))
s = 0.0
for i in range(30):
    if i % 3 == 0:
        continue
    s += i
    if i % 10 == 0:
        print("at", i, s)
print(s)
while True:
    n -= 2
    if n < 0:
        break
print(n)
