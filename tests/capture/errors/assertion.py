import sys
x = float(sys.argv[2])
assert x > 0, "positive"
assert x > 3, f"{x} is not large"
