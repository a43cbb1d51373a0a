"""RMSprop, Adagrad, Adadelta, Adamax, NAdam, Rprop."""
import torch
from torch.optim.optimizer import Optimizer


class RMSprop(Optimizer):
    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, capturable=False, foreach=None, maximize=False, differentiable=False):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if eps < 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if alpha < 0.0:
            raise ValueError(f"Invalid alpha value: {alpha}")
        super().__init__(params, dict(lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=centered, weight_decay=weight_decay, capturable=capturable, foreach=foreach, maximize=maximize, differentiable=differentiable))

    def _update(self, group):
        for p in group["params"]:
            if p.grad is None:
                continue
            grad = -p.grad if group["maximize"] else p.grad
            state = self._state_of(p)
            if len(state) == 0:
                state["step"] = torch.tensor(0.0)
                state["square_avg"] = torch.zeros_like(p)
                if group["momentum"] > 0:
                    state["momentum_buffer"] = torch.zeros_like(p)
                if group["centered"]:
                    state["grad_avg"] = torch.zeros_like(p)
            state["step"] += 1
            if group["weight_decay"] != 0:
                grad = grad.add(p, alpha=group["weight_decay"])
            square_avg = state["square_avg"]
            square_avg.mul_(group["alpha"]).addcmul_(grad, grad, value=1 - group["alpha"])
            if group["centered"]:
                grad_avg = state["grad_avg"]
                grad_avg.lerp_(grad, 1 - group["alpha"])
                avg = square_avg.addcmul(grad_avg, grad_avg, value=-1).sqrt_()
            else:
                avg = square_avg.sqrt()
            avg = avg.add_(group["eps"])
            if group["momentum"] > 0:
                buf = state["momentum_buffer"]
                buf.mul_(group["momentum"]).addcdiv_(grad, avg)
                p.add_(buf, alpha=-group["lr"])
            else:
                p.addcdiv_(grad, avg, value=-group["lr"])


class Adagrad(Optimizer):
    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *, maximize=False, differentiable=False, fused=None):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, dict(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay, initial_accumulator_value=initial_accumulator_value, foreach=foreach, maximize=maximize, differentiable=differentiable, fused=fused))
        for group in self.param_groups:
            for p in group["params"]:
                state = self._state_of(p)
                state["step"] = torch.tensor(0.0)
                state["sum"] = torch.full_like(p, initial_accumulator_value)

    def _update(self, group):
        for p in group["params"]:
            if p.grad is None:
                continue
            grad = -p.grad if group["maximize"] else p.grad
            state = self._state_of(p)
            count = state["step"]
            count += 1
            if group["weight_decay"] != 0:
                grad = grad.add(p, alpha=group["weight_decay"])
            clr = group["lr"] / (1 + (count.item() - 1) * group["lr_decay"])
            state["sum"].addcmul_(grad, grad, value=1)
            p.addcdiv_(grad, state["sum"].sqrt().add_(group["eps"]), value=-clr)


class Adadelta(Optimizer):
    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False, maximize=False, differentiable=False):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, dict(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize, capturable=capturable, foreach=foreach, differentiable=differentiable))

    def _update(self, group):
        for p in group["params"]:
            if p.grad is None:
                continue
            grad = -p.grad if group["maximize"] else p.grad
            state = self._state_of(p)
            if len(state) == 0:
                state["step"] = torch.tensor(0.0)
                state["square_avg"] = torch.zeros_like(p)
                state["acc_delta"] = torch.zeros_like(p)
            state["step"] += 1
            if group["weight_decay"] != 0:
                grad = grad.add(p, alpha=group["weight_decay"])
            rho, eps = group["rho"], group["eps"]
            state["square_avg"].mul_(rho).addcmul_(grad, grad, value=1 - rho)
            std = state["square_avg"].add(eps).sqrt_()
            delta = state["acc_delta"].add(eps).sqrt_()
            delta.div_(std).mul_(grad)
            state["acc_delta"].mul_(rho).addcmul_(delta, delta, value=1 - rho)
            p.add_(delta, alpha=-group["lr"])


class Adamax(Optimizer):
    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False, differentiable=False, capturable=False):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=foreach, maximize=maximize, differentiable=differentiable, capturable=capturable))

    def _update(self, group):
        beta1, beta2 = group["betas"]
        for p in group["params"]:
            if p.grad is None:
                continue
            grad = -p.grad if group["maximize"] else p.grad
            state = self._state_of(p)
            if len(state) == 0:
                state["step"] = torch.tensor(0.0)
                state["exp_avg"] = torch.zeros_like(p)
                state["exp_inf"] = torch.zeros_like(p)
            count = state["step"]
            count += 1
            if group["weight_decay"] != 0:
                grad = grad.add(p, alpha=group["weight_decay"])
            state["exp_avg"].lerp_(grad, 1 - beta1)
            torch.maximum(state["exp_inf"].mul_(beta2), grad.abs().add_(group["eps"]), out=state["exp_inf"])
            bias_correction = 1 - beta1 ** count.item()
            p.addcdiv_(state["exp_avg"], state["exp_inf"], value=-group["lr"] / bias_correction)


class NAdam(Optimizer):
    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3, decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay, decoupled_weight_decay=decoupled_weight_decay, maximize=maximize, foreach=foreach, capturable=capturable, differentiable=differentiable))

    def _update(self, group):
        beta1, beta2 = group["betas"]
        for p in group["params"]:
            if p.grad is None:
                continue
            grad = -p.grad if group["maximize"] else p.grad
            state = self._state_of(p)
            if len(state) == 0:
                state["step"] = torch.tensor(0.0)
                state["mu_product"] = torch.tensor(1.0)
                state["exp_avg"] = torch.zeros_like(p)
                state["exp_avg_sq"] = torch.zeros_like(p)
            count = state["step"]
            count += 1
            step = count.item()
            bias_correction2 = 1 - beta2 ** step
            if group["weight_decay"] != 0:
                if group["decoupled_weight_decay"]:
                    p.mul_(1 - group["lr"] * group["weight_decay"])
                else:
                    grad = grad.add(p, alpha=group["weight_decay"])
            mu = beta1 * (1.0 - 0.5 * (0.96 ** (step * group["momentum_decay"])))
            mu_next = beta1 * (1.0 - 0.5 * (0.96 ** ((step + 1) * group["momentum_decay"])))
            state["mu_product"] *= mu
            product = state["mu_product"].item()
            state["exp_avg"].lerp_(grad, 1 - beta1)
            state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
            denom = state["exp_avg_sq"].div(bias_correction2).sqrt().add_(group["eps"])
            p.addcdiv_(grad, denom, value=-group["lr"] * (1.0 - mu) / (1.0 - product))
            p.addcdiv_(state["exp_avg"], denom, value=-group["lr"] * mu_next / (1.0 - product * mu_next))
