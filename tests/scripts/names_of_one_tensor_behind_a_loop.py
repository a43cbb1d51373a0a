# Names that every iteration leaves with the same tensor have the same one behind the loop.
import torch
class M:
    def __init__(self): self.s = torch.ones(2); self.p = None
m=M(); m.p=m.s
ts=[torch.ones(2)]
best=ts[0]
t=torch.zeros(3); prev=t; c=t
for i in range(50):
    m.s = m.s*1.01; m.p = m.s
    prev = t
    t = t + i
    c = t
    u = t
    ts[0] = ts[0] + 1; best = ts[0]
c += 1
print(t, prev, c, c is t, prev is t, u is t)
m.p.zero_()
print(m.s, m.p is m.s)
best.zero_(); print(ts)
u.zero_(); print(t)
