import torch
import torch.nn as nn
import torch.nn.functional as F

gpu = torch.arange(6.0, device="cuda").view(2, 3)
cpu = torch.ones(2, 3)
index = torch.tensor([1, 0])


def attempt(what):
    try:
        what()
    except RuntimeError as e:
        print(e)


# Element by element, whichever comes first.
attempt(lambda: gpu + cpu)
attempt(lambda: cpu + gpu)
attempt(lambda: cpu.clone().mul_(gpu))
attempt(lambda: cpu + torch.tensor(2.0, device="cuda"))
attempt(lambda: torch.where(cpu > 0, gpu, gpu))
attempt(lambda: F.mse_loss(gpu, cpu))
# Argument by argument.
attempt(lambda: gpu @ cpu.t())
attempt(lambda: cpu @ gpu.t())
attempt(lambda: torch.cat([gpu, cpu]))
attempt(lambda: torch.gather(gpu, 0, torch.tensor([[0, 1, 0]])))
attempt(lambda: gpu.index_select(0, index))
attempt(lambda: gpu.clone().index_add_(0, index.cuda(), cpu))
attempt(lambda: F.cross_entropy(gpu, index))
attempt(lambda: nn.Linear(3, 2).cuda()(cpu))
attempt(lambda: nn.Linear(3, 2)(gpu))
attempt(lambda: nn.Embedding(4, 2).cuda()(index))
attempt(lambda: gpu.clone().masked_fill_(cpu > 0, 1.0))
# Indices on the CPU go along, those on the GPU do not come back; copies go anywhere.
print(gpu[index], gpu[[1]], gpu[:, index])
gpu[cpu > 1] = 3.0
attempt(lambda: cpu[index.cuda()])
gpu[index] = 7.0
gpu[0] = cpu[0]
print(gpu, gpu.device)
cpu.copy_(gpu)
print(cpu, cpu.device)
print(gpu * torch.tensor(2.0))
