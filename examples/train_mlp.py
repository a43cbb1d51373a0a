# Trains a small network to tell two interleaving half circles apart.
import math

import torch
import torch.nn as nn


class MLP(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.first = nn.Linear(2, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.last = nn.Linear(hidden, 2)
        self.relu = nn.ReLU()

    def forward(self, x):
        h = self.relu(self.first(x))
        h = self.relu(self.second(h))
        return self.last(h)


def two_moons(n, noise):
    """n points on each of two half circles, and the number of the half circle for each point."""
    angle = torch.rand(n) * math.pi
    upper = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1)
    lower = torch.stack([1.0 - torch.cos(angle), 0.5 - torch.sin(angle)], dim=1)
    points = torch.cat([upper, lower]) + noise * torch.randn(2 * n, 2)
    labels = torch.cat([torch.zeros(n, dtype=torch.long), torch.ones(n, dtype=torch.long)])
    return points, labels


torch.manual_seed(0)
x, y = two_moons(256, 0.1)
model = MLP(32)
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for epoch in range(1, 201):
    optimizer.zero_grad()
    logits = model(x)
    loss = loss_fn(logits, y)
    loss.backward()
    optimizer.step()
    if epoch % 20 == 0:
        accuracy = (logits.argmax(dim=1) == y).float().mean().item()
        print(f"epoch {epoch:3d}   loss {loss.item():.4f}   accuracy {100 * accuracy:.1f} %")
