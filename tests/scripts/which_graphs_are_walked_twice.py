import torch
import torch.nn.functional as F
def twice(f):
    n=torch.ones(3,requires_grad=True)
    try:
        y=f(n)
        y.backward(); y.backward()
        print('ok',n.grad)
    except RuntimeError as e:
        print('raised',str(e)[:40], n.grad)
def twice2(f):
    n=torch.ones(3,requires_grad=True)
    try:
        y=f(n)
        y.sum().backward(); y.sum().backward()
        print('ok',n.grad)
    except RuntimeError as e:
        print('raised',str(e)[:40], n.grad)
def w(n):
    y=n+0
    y[0]=5
    return y
def m(n):
    y=n+0
    y.mul_(2)
    return y
def ad(n):
    y=n+0
    y.add_(2)
    return y
def z(n):
    y=n+0
    y.zero_()
    return y+n
for f in [lambda n:n*2,
          lambda n:n/2,
          lambda n:n+2,
          lambda n:2-n,
          lambda n:2/n,
          lambda n:n**2,
          lambda n:2**n,
          lambda n:n.exp(),
          lambda n:-n, w, m, ad, z,
          lambda n:n[0:2],
          lambda n:n.view(3,1),
          lambda n:n.t(),
          lambda n:torch.where(n>0,n,0.0),
          lambda n:n.clamp(0,1),
          lambda n:n.reshape(1,3),
          lambda n:n.expand(2,3),
          lambda n:n.cumsum(0),
          lambda n:n.clone(),
          lambda n:torch.cat([n,n]),
          lambda n:n.mean(),
          lambda n:n.relu(),
          lambda n:n.abs(),
          lambda n:n*n,
          lambda n:n.double(),
          lambda n:n.sum(),
          lambda n:torch.stack([n,n]),
          lambda n: torch.lerp(n,n,0.5),
          lambda n: n.masked_fill(n>0,1.0),
          lambda n: torch.add(n,n,alpha=2),
          lambda n: n.max(),
          lambda n: n.fmod(2),
          lambda n: torch.maximum(n,n*1),
          lambda n: n.flip(0),
          lambda n: n.index_select(0,torch.tensor([0])),
          lambda n: n[torch.tensor([0,1])],
          lambda n: F.linear(n.view(1,3),torch.ones(2,3)),
          lambda n: n.norm(),
          lambda n: n.prod(),
          lambda n:n.unbind(0)[0],
          lambda n:n.repeat(2),
          lambda n:F.mse_loss(n,torch.zeros(3)),
          lambda n:n.softmax(0),
          lambda n:n.view(1,3).tril(),
          lambda n:n.pow(1),
          lambda n:n.remainder(2),
          lambda n:n.mul(True),
          lambda n: n.floor(),
          lambda n:n.sign(),
          lambda n:n.tanh(),
          lambda n: n.gather(0,torch.tensor([0])),
          lambda n:n.sub(1),
          lambda n:n.where(n>0, n),
          lambda n: n.std(),
          lambda n: n.logsumexp(0),
          lambda n: n.addcmul(n,n),
          lambda n: n.atan2(n),
          lambda n:torch.dot(n,torch.ones(3)),
          lambda n: torch.outer(n,torch.ones(3))]:
    twice(lambda n: f(n).sum())
    twice2(f)
a=torch.ones(3,requires_grad=True)
h=a*2
l1=h.sum(); l2=(h*3).sum()
l1.backward(retain_graph=True)
l2.backward()
print(a.grad)
try:
    l1.backward()
except RuntimeError as e: print('raised')
h=a+2
l1=h.sum(); l2=(h+3).sum()
l1.backward(); l2.backward(); l1.backward()
print(a.grad)
h=a*2
g,=torch.autograd.grad(h.sum(),a)
try: g2,=torch.autograd.grad(h.sum(),a); print(g2)
except RuntimeError as e: print('raised')
h=a.exp()
l=h.sum()
l.backward(inputs=[a])
try: l.backward()
except RuntimeError as e: print('raised', a.grad)
