#!/usr/bin/env python3
"""Matrix products of sifr against PyTorch's on one core: the ratio of their speeds, case by case.

    SIFR_NUM_THREADS=1 taskset -c 0 tests/bench/products.py build/release/bin/sifr-bench-gemm [f32|f64] [--quick]

The two take turns, and each turn's CPU time is compared with the other's of the same turn, so that whoever else uses the machine disturbs both.
Without PyTorch, sifr's speeds alone.
"""
import statistics
import subprocess
import sys
import time

try:
    import torch
    torch.set_num_threads(1)
except ImportError:
    torch = None

SIZES = [(n, n, n) for n in (192, 200, 256, 333, 384, 512, 768, 1000, 1024, 1152)] + [(128, 784, 512), (512, 128, 784), (4096, 64, 64), (1, 1024, 1024)]


def torch_product(dtype, transposed, m, n, k, epilogue):
    def made(rows, columns, turned):
        return torch.rand(columns, rows, dtype=dtype).t() if turned else torch.rand(rows, columns, dtype=dtype)
    a, b, row = made(m, k, transposed[0] == "T"), made(k, n, transposed[1] == "T"), torch.rand(n, dtype=dtype)
    out = torch.empty(m, n, dtype=dtype)
    if epilogue:
        return lambda: torch.addmm(row, a, b, out=out).relu_()
    return lambda: torch.mm(a, b, out=out)


def torch_seconds(work, flops):
    repeats = max(1, int(2e9 / flops))
    start = time.thread_time()
    for _ in range(repeats):
        work()
    return (time.thread_time() - start) / repeats


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    rounds = 3 if "--quick" in sys.argv else 5
    types = words[1:] or ["f32", "f64"]
    server = subprocess.Popen([words[0], "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def sifr_seconds(line):
        server.stdin.write(line + "\n")
        server.stdin.flush()
        return float(server.stdout.readline())

    ratios = []
    with torch.inference_mode() if torch else open("/dev/null"):
        for name in types:
            for m, n, k in SIZES:
                for transposed in ("NN", "NT", "TN", "TT"):
                    for epilogue in ("", " epilogue"):
                        line = f"{name} {transposed} {m} {n} {k}{epilogue}"
                        flops = 2.0 * m * n * k
                        work = torch and torch_product(torch.float32 if name == "f32" else torch.float64, transposed, m, n, k, epilogue)
                        sifr_seconds(line), work and work()
                        pairs = [(sifr_seconds(line), torch_seconds(work, flops) if work else 0.0) for _ in range(rounds)]
                        mine = statistics.median(p[0] for p in pairs)
                        if not work:
                            print(f"{line}: {flops / mine / 1e9:.1f} GFLOP/s", flush=True)
                            continue
                        ratio = statistics.median(p[1] / p[0] for p in pairs)
                        ratios.append((ratio, line))
                        print(f"{line}: {flops / mine / 1e9:.1f} GFLOP/s, {ratio:.2f} of PyTorch's speed", flush=True)
    server.stdin.close()
    if ratios:
        ratios.sort()
        print(f"median {statistics.median(r for r, _ in ratios):.2f}, lowest {', '.join(f'{r:.2f} ({line})' for r, line in ratios[:5])}")


main()
