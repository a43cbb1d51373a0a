# argparse: defaults, options, switches.
import argparse
parser = argparse.ArgumentParser(description="train")
parser.add_argument("--lr", type=float, default=0.1, help="rate")
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--verbose", action="store_true")
parser.add_argument("--hidden-size", type=int, default=8)
args = parser.parse_args()
print(args.lr, args.epochs, args.verbose, args.hidden_size)
a2 = parser.parse_args(["--lr", "0.5", "--epochs=7", "--verbose"])
print(a2.lr, a2.epochs, a2.verbose)
print(a2)
print(vars(args))
