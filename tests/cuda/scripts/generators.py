# A generator draws for tensors of its own device alone; a class of tensors says where its tensors are.
import torch
g = torch.Generator(device="cuda").manual_seed(3)
c = torch.Generator().manual_seed(3)
print(torch.randn(2, generator=g, device="cuda").shape, g.device)
draws = (
    lambda: torch.randn(2, generator=g),
    lambda: torch.rand(2, generator=c, device="cuda"),
    lambda: torch.zeros(2).normal_(generator=g),
    lambda: torch.zeros(2, device="cuda").uniform_(generator=c),
    lambda: torch.randint(3, (2,), generator=g),
)
for make in draws:
    try:
        print(make())
    except RuntimeError as e:
        print(e)
x = torch.zeros(2).type("torch.cuda.HalfTensor")
print(x, x.type(), x.type("torch.FloatTensor"), x.type(torch.float32), x.type(torch.cuda.IntTensor), x.type(torch.zeros(1).type()))
