import torch
x = torch.zeros(3)
x[torch.tensor([True, True, False])] = torch.tensor([1., 2., 3.])
