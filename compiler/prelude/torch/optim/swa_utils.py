"""Averages of weights over a training run."""
import copy
import math
import torch
from torch.nn import Module
from torch.optim.lr_scheduler import LRScheduler


def get_ema_avg_fn(decay=0.999):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")
    return lambda averaged, current, count: decay * averaged + (1 - decay) * current


def get_swa_avg_fn():
    return lambda averaged, current, count: averaged + (current - averaged) / (count + 1)


def get_ema_multi_avg_fn(decay=0.999):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")

    def update(averaged, current, count):
        for a, c in zip(averaged, current):
            a.lerp_(c, 1 - decay)

    return update


class AveragedModel(Module):
    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        assert avg_fn is None or multi_avg_fn is None, "Only one of avg_fn and multi_avg_fn should be provided"
        self.module = copy.deepcopy(model)
        self.register_buffer("n_averaged", torch.tensor(0, dtype=torch.long))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def _pairs(self, model):
        own, other = list(self.module.parameters()), list(model.parameters())
        if self.use_buffers:
            own, other = own + list(self.module.buffers()), other + list(model.buffers())
        return list(zip(own, other))

    def update_parameters(self, model):
        with torch.no_grad():
            first = self.n_averaged == 0
            pairs = self._pairs(model)
            if self.multi_avg_fn is not None:
                kept = [a.detach().clone() for a, _ in pairs]
                self.multi_avg_fn([a for a, _ in pairs], [c.detach() for _, c in pairs], self.n_averaged)
                for (a, c) in pairs:
                    a.copy_(torch.where(first, c.detach(), a.detach()))
            else:
                average = get_swa_avg_fn() if self.avg_fn is None else self.avg_fn
                for a, c in pairs:
                    a.copy_(torch.where(first, c.detach(), average(a.detach(), c.detach(), self.n_averaged)))
            if not self.use_buffers:
                for a, c in zip(self.module.buffers(), model.buffers()):
                    a.copy_(c.detach())
            self.n_averaged += 1


class SWALR(LRScheduler):
    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must by one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._anneal_strategy = anneal_strategy
        rates = list(swa_lr) if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(optimizer.param_groups)
        for rate, group in zip(rates, optimizer.param_groups):
            group["swa_lr"] = rate
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _part(self, t):
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def get_lr(self):
        self._warn_get_lr()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before = self._part(max(0, min(1, (step - 1) / max(1, self.anneal_epochs))))
        rates = [group["swa_lr"] if before == 1 else (group["lr"] - before * group["swa_lr"]) / (1 - before) for group in self.optimizer.param_groups]
        now = self._part(max(0, min(1, step / max(1, self.anneal_epochs))))
        return [group["swa_lr"] * now + rate * (1 - now) for group, rate in zip(self.optimizer.param_groups, rates)]


def update_bn(loader, model, device=None):
    layers = [m for m in model.modules() if hasattr(m, "running_mean") and hasattr(m, "momentum")]
    if len(layers) == 0:
        return
    momenta = [m.momentum for m in layers]
    was_training = model.training
    model.train()
    for m in layers:
        m.reset_running_stats()
        m.momentum = None
    for input in loader:
        model(input[0] if isinstance(input, (list, tuple)) else input)
    for m, momentum in zip(layers, momenta):
        m.momentum = momentum
    model.train(was_training)
