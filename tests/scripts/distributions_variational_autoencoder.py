import torch
import torch.nn as nn
from torch.distributions import Bernoulli, Independent, Normal, kl_divergence

torch.manual_seed(11)
data = (torch.rand(64, 12) < torch.linspace(0.1, 0.9, 12)).float()
encoder = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 6))
decoder = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 12))
prior = Independent(Normal(torch.zeros(3), torch.ones(3)), 1)
optimizer = torch.optim.Adam(list(encoder.parameters()) + list(decoder.parameters()), lr=0.01)
for epoch in range(5):
    total = 0.0
    for i in range(0, 64, 16):
        x = data[i:i + 16]
        loc, raw = encoder(x).chunk(2, -1)
        q = Independent(Normal(loc, nn.functional.softplus(raw) + 1e-3), 1)
        z = q.rsample()
        p = Independent(Bernoulli(logits=decoder(z)), 1)
        loss = -(p.log_prob(x) - kl_divergence(q, prior)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} elbo {-total / 4:.4f}")
with torch.no_grad():
    sample = Bernoulli(logits=decoder(prior.sample((2,)))).sample()
print(sample)
