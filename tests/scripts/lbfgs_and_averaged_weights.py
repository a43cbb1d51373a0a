# An optimizer that asks for the loss again, averages of weights, and what a plateau scheduler keeps.
import torch
import torch.nn as nn
from torch.optim.swa_utils import AveragedModel

x = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.LBFGS([x], lr=0.5, max_iter=5)


def closure():
    optimizer.zero_grad()
    loss = ((x - 3) ** 2).sum()
    loss.backward()
    return loss


print(optimizer.step(closure), x)
print(optimizer.step(closure), x)
print(optimizer)

torch.manual_seed(0)
model = nn.Linear(2, 1)
average = AveragedModel(model)
average.update_parameters(model)
with torch.no_grad():
    model.weight.add_(1.0)
average.update_parameters(model)
print(average, average.n_averaged, average.module.weight)

sgd = torch.optim.SGD([x], lr=1.0)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(sgd, patience=0, factor=0.5)
for loss in (1.0, 1.0, 0.5):
    plateau.step(loss)
print(plateau.state_dict())
print(nn.init.dirac_(torch.empty(2, 2, 3)))
table = nn.Embedding(3, 2, max_norm=1.0)
table.weight.data.fill_(1.0)
print(table(torch.tensor([0])), table.weight)
x.grad = torch.tensor([3.0, float("nan")])
nn.utils.clip_grad_norm_([x], 1.0, error_if_nonfinite=True)
