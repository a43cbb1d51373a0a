import sys
def first_power(limit):
    for k in range(60):
        if 2 ** k > limit:
            return k
    return None
n = int(sys.argv[1])
print(n > 2 and first_power(n) == 3)
