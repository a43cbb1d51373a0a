import torch
import torch.nn as nn

torch.manual_seed(0)


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 8)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        return torch.softmax(self.out(torch.relu(self.hidden(x))), dim=-1)


model = Scorer()


def score(x: "f32[3,4]"):
    with torch.no_grad():
        p = model(x)
        return p, p.argmax(dim=1)


def top(x: "f32[3,4]", row: int):
    if row < 0 or row >= 3:
        raise IndexError(f"there is no row {row}")
    with torch.no_grad():
        return model(x)[row].max().item()
