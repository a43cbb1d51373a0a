import torch
x = torch.arange(6.).reshape(2, 3)
y = x
v = x[0]
x.t_()
print(y is x, y.shape, y.stride(), v, v.shape)
v.zero_()
print(x)
