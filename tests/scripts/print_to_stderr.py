import sys
print("to stderr", file=sys.stderr)
print("to stdout", file=sys.stdout)
sys.stderr.write("x\n")
sys.stdout.write("y\n")
sys.stdout.flush()
print("z", flush=True)
