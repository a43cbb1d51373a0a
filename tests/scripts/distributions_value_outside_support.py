import torch

policy = torch.distributions.Categorical(logits=torch.zeros(2, 3))
print(policy.log_prob(torch.tensor([0, 2])))
print(policy.log_prob(torch.tensor([0, 3])))
