value = 1
print(vaule)
