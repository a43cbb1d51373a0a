import sys
n = int(sys.argv[1])
print("before")
if n > 5:
    raise ValueError(f"too large: {n}")
print("after")
