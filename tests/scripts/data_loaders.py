# Data sets, samplers and loaders: batches, draws and splits come as in PyTorch.
import torch
from torch.utils.data import Dataset, DataLoader, TensorDataset, random_split, Subset, ConcatDataset, WeightedRandomSampler, SubsetRandomSampler, BatchSampler, SequentialSampler, RandomSampler
torch.manual_seed(0)
X = torch.arange(20.0).view(10, 2); y = torch.arange(10)
ds = TensorDataset(X, y)
print(len(ds), ds[3], ds[1:3])
for xb, yb in DataLoader(ds, batch_size=4):
    print(xb.shape, yb)
for i, (xb, yb) in enumerate(DataLoader(ds, batch_size=4, shuffle=True, drop_last=True)):
    print(i, yb, xb[:, 0])
dl = DataLoader(ds, 3, shuffle=True, generator=torch.Generator().manual_seed(5))
print(len(dl), dl.batch_size, len(dl.dataset))
for e in range(2):
    print([b[1].tolist() for b in dl])
a, b = random_split(ds, [7, 3], generator=torch.Generator().manual_seed(1))
print(len(a), len(b), b.indices, a[0])
tr, va = random_split(ds, [0.8, 0.2])
print(len(tr), len(va))
for xb, yb in DataLoader(tr, batch_size=8, shuffle=True): print(yb)
class Squares(Dataset):
    def __init__(self, n): self.x = torch.arange(n, dtype=torch.float32)
    def __len__(self): return len(self.x)
    def __getitem__(self, i): return self.x[i], self.x[i] ** 2
for p, q in DataLoader(Squares(5), batch_size=2, shuffle=True): print(p, q)
class Dicts(Dataset):
    def __len__(self): return 3
    def __getitem__(self, i): return {"a": torch.tensor([i, i]), "b": i * 0.5}
for d in DataLoader(Dicts(), batch_size=2): print(d)
print(next(iter(DataLoader(ds, batch_size=2))))
c = ConcatDataset([ds, TensorDataset(X + 100, y + 100)]); print(len(c), c[12][1], (ds + ds)[11][1])
w = WeightedRandomSampler([0.1, 0.9, 0.0], 5); print(len(w))
for (t,) in DataLoader(TensorDataset(torch.arange(3)), batch_size=5, sampler=w): print(t)
for (t,) in DataLoader(TensorDataset(torch.arange(3)), sampler=SubsetRandomSampler([0, 2])): print(t)
print(list(BatchSampler(SequentialSampler(range(5)), 2, False)))
for v in DataLoader([1, 2, 3], batch_size=2): print(v)
for v in DataLoader([1.5, 2.5], batch_size=None): print(v)
def coll(items): return torch.stack([i[0] for i in items]).sum(0), len(items)
for v in DataLoader(ds, batch_size=6, collate_fn=coll): print(v)
try:
    DataLoader(ds, sampler=w, shuffle=True)
except ValueError as e: print(e)
try:
    TensorDataset(torch.ones(2), torch.ones(3))
except AssertionError as e: print(e)
try:
    DataLoader(ds, batch_size=0)
except ValueError as e: print(e)
torch.manual_seed(3)
m = torch.nn.Linear(2, 1); opt = torch.optim.SGD(m.parameters(), 1e-4)
for ep in range(3):
    tot = 0.0
    for xb, yb in DataLoader(ds, batch_size=4, shuffle=True):
        loss = ((m(xb).squeeze(-1) - yb) ** 2).mean()
        opt.zero_grad(); loss.backward(); opt.step(); tot += loss.item() * len(xb)
    print(f"{ep} {tot / len(ds):.3f}")
print(torch.rand(1))
import torch.utils.checkpoint as cp
print(cp.checkpoint(lambda t: t * 2, torch.ones(1), use_reentrant=False))
