import torch


def attempt(f):
    try:
        f()
    except TypeError as e:
        print(e)


x = torch.ones(2)
attempt(lambda: torch.zeros())
attempt(lambda: torch.ones())
attempt(lambda: torch.empty())
attempt(lambda: torch.rand())
attempt(lambda: x.gather(0))
attempt(lambda: x.index_select())
attempt(lambda: torch.exp())
