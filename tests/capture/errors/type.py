def add(x):
    return x + "a"
add(1)
