import os
import time

import torch
import torch.nn as nn

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 16)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
x = torch.linspace(-1, 1, 1024 * 256, device=device).reshape(1024, 256)
target = (x[:, :16] * 2.0).tanh()


def step():
    optimizer.zero_grad()
    loss = ((model(x) - target) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss


if os.environ.get("TORCH_COMPILE") == "1":
    step = torch.compile(step)
for i in range(10):
    step()
torch.cuda.synchronize()
start = time.perf_counter()
for i in range(300):
    loss = step()
torch.cuda.synchronize()
seconds = time.perf_counter() - start
print(f"{loss.item():.4f}")
print(f"seconds {seconds:.6f}")
