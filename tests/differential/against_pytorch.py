#!/usr/bin/env python3
"""against_pytorch.py PROGRAMS.jsonl: runs programs that `differential --emit=PROGRAMS.jsonl` wrote under PyTorch, all in one process, and
tells which print something else there. Exit status 1 if any does.

Numbers that are printed may differ by the last digit: PyTorch sums in another order, and its transcendental functions round otherwise."""

import contextlib
import io
import json
import math
import re
import signal
import sys
import traceback

import torch

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\binf\b|\bnan\b)")


def run(program):
    """What the program prints, and the exception that ended it."""
    out = io.StringIO()
    torch.set_grad_enabled(True)
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(program, "t.py", "exec"), {"__name__": "__main__"})
    except Exception as e:
        return out.getvalue(), "".join(traceback.format_exception_only(e)).rstrip()
    return out.getvalue(), ""


def close(a, b):
    """Equal but for spaces and the last digits of numbers."""
    if a == b:
        return True
    if "".join(NUMBER.sub("#", a).split()) != "".join(NUMBER.sub("#", b).split()):
        return False
    for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)):
        x, y = float(x), float(y)
        if x != y and not (math.isnan(x) and math.isnan(y)) and abs(x - y) > 2e-4 * max(1.0, abs(x), abs(y)):
            return False
    return True


def main():
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("a program ran for 20 s")))
    torch.set_num_threads(1)
    compared = differ = unsupported = 0
    with open(sys.argv[1]) as programs:
        for line in programs:
            p = json.loads(line)
            if p["end"] == "unsupported":
                unsupported += 1
                continue
            compared += 1
            signal.alarm(20)
            out, error = run(p["program"])
            signal.alarm(0)
            # The compiler found that the program raises: it printed nothing.
            same = close(error, p["text"]) and (p["end"] == "refused" or close(out, p["out"]))
            if same:
                continue
            differ += 1
            print(f"---- seed {p['seed']}\n{p['program']}-- PyTorch\n{out}{error}\n-- sifr ({p['end']})\n{p['out']}{p['text']}")
    print(f"{compared} programs compared, {unsupported} not supported, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
