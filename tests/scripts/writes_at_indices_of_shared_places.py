# Elements that share a place, written at indices: every one of them sees the write.
import torch


def windows():
    return torch.zeros(5).as_strided((3, 3), (1, 1))


x = windows()
print(x.index_add_(0, torch.tensor([0, 1]), torch.ones(2, 3)))
print(windows().index_add_(1, torch.tensor([2, 2]), torch.ones(3, 2), alpha=2))
print(windows().index_copy_(0, torch.tensor([0, 1]), torch.arange(6.0).view(2, 3)))
print(windows().index_fill_(0, torch.tensor([0]), 7))
print(windows().scatter_(0, torch.tensor([[0, 1, 2]]), torch.arange(1.0, 7.0).view(2, 3)))
print(windows().scatter_add_(0, torch.tensor([[0, 1, 2]]), torch.ones(1, 3)))
y = windows()
y[torch.tensor([0, 2])] = torch.tensor([1.0, 2.0, 3.0])
print(y, y._version)
z = torch.zeros(3)
print(z.put_(torch.tensor([2, 0, 0]), torch.tensor([1.0, 2.0, 3.0]), accumulate=True))
print(torch.zeros(3).masked_scatter_(torch.tensor([True, False, True]), z[1:]))


def refused(what):
    try:
        what()
    except Exception as e:
        print(type(e).__name__, e)


byte = torch.zeros(3, dtype=torch.uint8)
refused(lambda: z.put_(torch.tensor([0, 1]), z[1:]))
refused(lambda: z.put_(torch.tensor([0, 1]), torch.ones(1)))
refused(lambda: z.put_(torch.tensor([0]), torch.ones(1, dtype=torch.int64)))
refused(lambda: byte.masked_fill_(byte == 0, 300))
refused(lambda: byte.index_fill_(0, torch.tensor([1]), 256))
refused(lambda: byte.scatter_(0, torch.tensor([1]), -256))
refused(lambda: torch.zeros(2, dtype=torch.float16).masked_fill_(torch.tensor([True, False]), 1e6))
refused(lambda: torch.full((2,), 300, dtype=torch.uint8))
refused(lambda: z.masked_scatter_(torch.tensor([1, 0, 1]), z))
refused(lambda: torch.zeros(2, 3)[0, 3])
byte[byte == 0] = -255
print(byte)
z.index_copy_(0, torch.tensor([3]), torch.ones(1))
