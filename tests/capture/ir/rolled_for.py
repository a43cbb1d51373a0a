import sys
rate = float(sys.argv[2])
x = 1.0
count = 0
for i in range(100):
    x = x * rate
    count += 2
    if i % 25 == 0:
        print(i, x)
print(x, count, i)
