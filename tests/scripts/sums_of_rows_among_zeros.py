# A sum of zeros with some rows in them is made of the sums of the rows; all stages agree to the bit.
import torch
torch.manual_seed(0)
x=torch.zeros(5,7); x[2]=torch.rand(7); print(x.sum(), x.sum(1), x.sum(0), x.sum((0,1),keepdim=True))
x=torch.zeros(4,3,8); x[1:3]=torch.rand(2,3,8); print(x.sum(), x.sum(-1), x.sum((1,2)), x.sum((0,2)), x.sum((0,2),keepdim=True), x.sum(1))
x=torch.zeros(4,3,8); x[:,1]=torch.rand(4,8); print(x.sum(), x.sum(-1), x.sum((1,2)), x.sum((0,2)), x.sum((0,2),keepdim=True), x.sum(1))
x=torch.zeros(6,4); x[::2]=torch.rand(3,4); print(x.sum(), x.sum(1), x.sum(0))
x=torch.zeros(6,4); x.t()[1]=torch.rand(6); print(x.sum(), x.sum(1), x.sum(0))
x=torch.zeros(4,4); x.diagonal().copy_(torch.rand(4)); print(x.sum(), x.sum(1), x.sum(0))
x=torch.zeros(3,4,dtype=torch.int32); x[1]=torch.arange(4); print(x.sum(), x.sum(1), x.sum(1,dtype=torch.int32))
x=torch.zeros(3,4,dtype=torch.bool); x[1]=True; print(x.sum(), x.sum(1))
x=torch.zeros(3,4); x[1]=torch.tensor([float('nan'),1,2,float('inf')]); print(x.sum(), x.sum(1), x)
x=torch.zeros(2,3,4); x.transpose(0,1)[1:]=torch.rand(2,2,4); print(x.sum(), x.sum(2), x.sum((0,2)))
w=torch.rand(7,requires_grad=True); x=torch.zeros(5,7); x[2]=w; (x.sum()*x.sum(1)[2]).backward(); print(w.grad)
