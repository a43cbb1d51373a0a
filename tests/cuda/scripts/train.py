# A model that is moved to the GPU, as tutorials do it.
import torch
import torch.nn as nn

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.linspace(-1, 1, 64).unsqueeze(1).to(device)
y = (x * 3 + 0.5)
model = nn.Linear(1, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(200):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
print(next(model.parameters()).device)
print(f"{model.weight.item():.2f} {model.bias.item():.2f}")
