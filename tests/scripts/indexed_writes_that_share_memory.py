import torch


def attempt(name, f):
    try:
        print(name, f())
    except RuntimeError as e:
        print(name, e)


def written(part, source, write):
    b = torch.arange(6.0)
    x = part(b)
    write(x, torch.arange(len(x)), source(b, x))
    return b


parts = {"all": lambda b: b, "head": lambda b: b[:3]}
sources = {"itself": lambda b, x: x, "shifted": lambda b, x: b[1:4], "another": lambda b, x: torch.ones(len(x))}
writes = {
    "index_add_": lambda x, i, s: x.index_add_(0, i, s),
    "index_copy_": lambda x, i, s: x.index_copy_(0, i, s),
    "scatter_": lambda x, i, s: x.scatter_(0, i, s),
    "scatter_add_": lambda x, i, s: x.scatter_add_(0, i, s),
    "index_put_": lambda x, i, s: x.index_put_((i,), s),
}
for pn, part in parts.items():
    for sn, source in sources.items():
        if pn == "all" and sn == "shifted":
            continue
        for wn, write in writes.items():
            attempt(f"{wn} {pn} {sn}", lambda: written(part, source, write))
i = torch.arange(3)
attempt("index_add_", lambda: i.index_add_(0, i, i + 1))
attempt("scatter_", lambda: i.scatter_(0, i, 1))
attempt("index_fill_", lambda: i.index_fill_(0, i, 1))
attempt("gather", lambda: torch.gather(i, 0, i, out=i))
e = torch.zeros(1).expand(3)
attempt("masked_fill_", lambda: e.masked_fill_(torch.tensor([True, False, False]), 5.0))
e = torch.zeros(3).expand(2, 3)
attempt("index_fill_", lambda: e.index_fill_(1, torch.tensor([0, 1]), 6.0))
e[:, torch.tensor([2])] = 7.0
print(e)
x = torch.zeros(2, 3)
x[:, torch.tensor([-1])] = 2.0
x[torch.tensor([[0], [1]]), 1:2] = 7
y = (torch.ones(2, 2, requires_grad=True) * 1).index_fill(0, torch.tensor([0]), 3.0)
print(x, y)
