import sys
x = float(sys.argv[2])
last = None
for i in range(50):
    if last is not None:
        x = x + last
    last = x * 0.5
    print(x)
