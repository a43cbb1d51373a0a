import torch
import torch.nn as nn

model = nn.Linear(3, 1, bias=False)
with torch.no_grad():
    model.weight.copy_(torch.tensor([[1.0, 2.0, 3.0]]))
optimizer = torch.optim.SGD(model.parameters(), lr=0.125)


def step(x: "f32[2,3]", y: "f32[2,1]"):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss.item()


def predict(x):
    with torch.no_grad():
        return model(x)
