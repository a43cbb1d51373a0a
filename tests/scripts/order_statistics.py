import torch

x = torch.tensor([[3.0, 1.0, 2.0, float("nan")], [0.5, 0.5, -1.0, 4.0]], requires_grad=True)
print(x.sort())
print(x.sort(0, descending=True).indices, x.argsort(descending=True))
print(torch.topk(x, 2))
print(x.topk(2, dim=0, largest=False).values)
print(x.kthvalue(2))
print(x.median(1, keepdim=True))
print(x.median(), x.nanmedian(), torch.nanmedian(x, 1))
print(torch.mode(torch.tensor([[2, 1, 2, 3], [5, 5, 4, 4]])))
print(torch.msort(x.detach()))
y = torch.tensor([[3.0, 1.0, 2.0], [0.5, 2.5, -1.0]], requires_grad=True)
for value in (y.sort()[0] * torch.arange(3.0), y.topk(2).values, y.kthvalue(2)[0], y.median(1)[0], y.quantile(0.4, 1), torch.nanmedian(y)):
    print(torch.autograd.grad(value.sum(), y)[0])
print(torch.quantile(y, 0.25), y.quantile(torch.tensor([0.1, 0.9]), dim=1, keepdim=True))
print(torch.nanquantile(x, 0.5, dim=1), torch.quantile(y, 0.3, interpolation="lower"))
print(x.nanmean(), torch.nanmean(x, 1), x.nansum(0))
print(torch.empty(0).sort(), torch.zeros(2, 0).argsort())
print(torch.tensor(3.0).sort(), torch.tensor([True, False]).sort()[1])
print(y.logcumsumexp(1), torch.autograd.grad(y.logcumsumexp(1).sum(), y)[0])
print(torch.searchsorted(torch.tensor([1, 3, 5]), 3), torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([0, 3, 6]), right=True))
print(torch.bucketize(torch.tensor([0.5, 2.5]), torch.tensor([1.0, 2.0])), torch.isin(torch.tensor([1, 2, 3]), 2))
print(torch.histc(torch.tensor([1.0, 2.0, 1.0, 4.0]), bins=4, min=0, max=4))
print(torch.cov(y.detach()), torch.corrcoef(y.detach()))
for broken in (lambda: torch.quantile(y, 1.5), lambda: torch.quantile(torch.ones(2, dtype=torch.int64), 0.5), lambda: y.topk(4), lambda: y.kthvalue(0)):
    try:
        print(broken())
    except Exception as e:
        print(type(e).__name__, e)
