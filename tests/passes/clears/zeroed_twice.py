import torch

x = torch.zeros(4, 8)
x.zero_()
x.zero_()
x[1:3].zero_()
x.t()[0] = 0
x.view(-1)[5:9].fill_(0)
print(x)
