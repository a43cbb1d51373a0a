import torch
import torch.nn as nn
from torch.distributions import Categorical, Normal

torch.manual_seed(3)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
        self.action = nn.Linear(16, 3)
        self.value = nn.Linear(16, 1)

    def forward(self, state):
        h = self.body(state)
        return Categorical(logits=self.action(h)), self.value(h).squeeze(-1)


policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
for episode in range(6):
    state = torch.randn(8, 4)
    rewards, log_probs, values, entropy = [], [], [], 0.0
    for t in range(5):
        pi, value = policy(state)
        action = pi.sample()
        log_probs.append(pi.log_prob(action))
        values.append(value)
        entropy = entropy + pi.entropy().mean()
        best = state[:, :3].argmax(-1)
        rewards.append((action == best).float())
        state = 0.9 * state + 0.1 * torch.randn(8, 4)
    returns, running = [], torch.zeros(8)
    for r in reversed(rewards):
        running = r + 0.9 * running
        returns.insert(0, running)
    returns = torch.stack(returns)
    values = torch.stack(values)
    advantage = returns - values.detach()
    loss = -(torch.stack(log_probs) * advantage).mean() + 0.5 * (returns - values).pow(2).mean() - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"episode {episode} loss {loss.item():.4f} return {returns[0].mean().item():.3f}")

mean = nn.Parameter(torch.zeros(2))
log_std = nn.Parameter(torch.zeros(2))
sgd = torch.optim.SGD([mean, log_std], lr=0.05)
target = torch.tensor([1.0, -1.0])
for step in range(20):
    pi = Normal(mean, log_std.exp())
    action = pi.sample((16,))
    reward = -(action - target).pow(2).sum(-1)
    loss = -(pi.log_prob(action).sum(-1) * (reward - reward.mean())).mean()
    sgd.zero_grad()
    loss.backward()
    sgd.step()
print(mean, log_std)
