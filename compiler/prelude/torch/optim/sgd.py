"""Stochastic gradient descent, with momentum (Sutskever et al., 2013)."""
import torch
from torch.optim.optimizer import Optimizer


class SGD(Optimizer):
    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False, foreach=None, differentiable=False, fused=None):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        defaults = dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov, maximize=maximize, foreach=foreach, differentiable=differentiable, fused=fused)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, defaults)

    def _new_state(self, group, p):
        return {"momentum_buffer": torch.zeros_like(p)} if group["momentum"] != 0 else None

    def _update(self, group):
        momentum, weight_decay, lr = group["momentum"], group["weight_decay"], group["lr"]
        if momentum == 0:
            for p in group["params"]:
                if p.grad is not None:
                    p.add_(self._direction(group, p, -p.grad if group["maximize"] else p.grad), alpha=-lr)
            return
        for p, grad, state, first in self._with_gradients(group):
            grad = self._direction(group, p, grad)
            buf = state["momentum_buffer"]
            buf.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            if first:
                buf.copy_(grad)
            p.add_(grad.add(buf, alpha=momentum) if group["nesterov"] else buf, alpha=-lr)

    def _direction(self, group, p, grad):
        return grad.add(p, alpha=group["weight_decay"]) if group["weight_decay"] != 0 else grad
