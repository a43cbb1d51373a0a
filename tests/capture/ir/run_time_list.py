import sys
n = int(sys.argv[1])
squares = []
for i in range(n):
    squares.append(i * i)
print(squares[-1], len(squares), sum(squares))
