import torch
x = torch.zeros(3, 4)
v = x[1:, 1:3]
v.fill_(1)
print(x, v.stride(), v.storage_offset(), v._base is x)
t = x.t()
t[0, 0] = 5
print(x[0, 0].item(), t.shape, x.t_().shape, v.shape)
a = torch.arange(6).view(2, 3)
print(a.reshape(-1).tolist(), a.T.is_contiguous(), a.T.contiguous().stride(), a.flatten().shape)
try:
    a.t().view(6)
except RuntimeError as e:
    print(e)
print(a.float() is a, a.long() is a, a.to(torch.float64).dtype)
print(a.dtype, a.dim(), a.numel(), a.size(-1), len(a))
