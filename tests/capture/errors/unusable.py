import sys
if int(sys.argv[1]) > 3:
    x = [1, 2]
else:
    x = "text"
print("fine until it is used")
print(x)
