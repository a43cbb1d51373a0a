# What optimizers keep: shown once a parameter has taken a step, the same round a loop and in a straight line, saved and loaded.
import torch

torch.set_default_dtype(torch.float64)  # so that the order of a sum does not show


def train(make, steps):
    torch.manual_seed(3)
    w = torch.nn.Parameter(torch.tensor([0.5, -1.0, 2.0]))
    b = torch.nn.Parameter(torch.tensor(0.25))
    unused = torch.nn.Parameter(torch.ones(2))
    optimizer = make([w, b, unused])
    print(len(optimizer.state))
    x = torch.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 1.0]])
    for i in range(steps):
        optimizer.zero_grad()
        loss = ((x @ w + b - 1.0) ** 2).sum()
        loss.backward()
        optimizer.step()
    print(w, b)
    return optimizer, w


makers = [
    lambda p: torch.optim.SGD(p, lr=0.01),
    lambda p: torch.optim.SGD(p, lr=0.013, momentum=0.9),
    lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9, dampening=0.5, weight_decay=0.12),
    lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9, nesterov=True, maximize=True),
    lambda p: torch.optim.Adam(p, lr=0.1),
    lambda p: torch.optim.Adam(p, lr=0.1, amsgrad=True, weight_decay=0.1),
    lambda p: torch.optim.AdamW(p, lr=0.1),
    lambda p: torch.optim.RMSprop(p, lr=0.1),
    lambda p: torch.optim.RMSprop(p, lr=0.1, momentum=0.5, centered=True),
    lambda p: torch.optim.Adagrad(p, lr=0.1, initial_accumulator_value=0.5),
    lambda p: torch.optim.Adadelta(p, lr=0.1),
    lambda p: torch.optim.Adamax(p, lr=0.1),
    lambda p: torch.optim.NAdam(p, lr=0.1),
    lambda p: torch.optim.RAdam(p, lr=0.1),
    lambda p: torch.optim.Rprop(p, lr=0.1),
    lambda p: torch.optim.ASGD(p, lr=0.1),
]
for make in makers:
    print(type(make([torch.nn.Parameter(torch.zeros(1))])).__name__)
    for steps in [1, 9]:
        optimizer, w = train(make, steps)
        print(sorted(optimizer.state[w].keys()), len(optimizer.state_dict()["state"]))
        for name in sorted(optimizer.state[w].keys()):
            print(name, optimizer.state[w][name])

# A loaded state goes on where the saved one stood.
first, w = train(makers[4], 5)
second, v = train(makers[4], 0)
second.load_state_dict(first.state_dict())
print(second.state[v])
v.grad = torch.ones(3)
second.step()
print(v, second.state[v]["step"])

# The learning rate that counts is the one of the first step.
p = torch.nn.Parameter(torch.zeros(2))
late = torch.optim.Rprop([p], lr=0.1)
late.param_groups[0]["lr"] = 0.5
p.grad = torch.ones(2)
late.step()
print(p, late.state[p]["step_size"])
