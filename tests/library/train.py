import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
steps = 0


def step(x: "f32[8,3]", y: "f32[8,1]"):
    global steps
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    steps += 1
    return loss.item(), steps


def predict(x: "f32[8,3]"):
    with torch.no_grad():
        return model(x)


def scale(x: "f32[4]", k: float, n: int, on: bool):
    x.mul_(k)
    if n < 0:
        raise ValueError(f"n is {n}")
    if on:
        print("scaled by", k)
    return x.sum(), not on, n + 1


def noise():
    return torch.rand(4)


last = torch.zeros(4)


def keep_last(x: "f32[4]"):
    global last
    before = last
    last = x * 2
    return before
