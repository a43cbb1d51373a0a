"""RMSprop, Adagrad, Adadelta, Adamax, NAdam, RAdam, Rprop, ASGD."""
import torch
from torch.optim.optimizer import Optimizer, zeros_like_parameter


def _check_adam(eps, betas, weight_decay):
    if eps < 0.0:
        raise ValueError(f"Invalid epsilon value: {eps}")
    for k in range(2):
        if not 0.0 <= betas[k] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {k}: {betas[k]}")
    if weight_decay < 0.0:
        raise ValueError(f"Invalid weight_decay value: {weight_decay}")


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

    def _new_state(self, group, p):
        more = (["momentum_buffer"] if group["momentum"] > 0 else []) + (["grad_avg"] if group["centered"] else [])
        return zeros_like_parameter(p, "square_avg", *more)

    def _update(self, group):
        for p, grad, state, _ in self._with_gradients(group):
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
        if lr_decay < 0.0:
            raise ValueError(f"Invalid lr_decay value: {lr_decay}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if initial_accumulator_value < 0.0:
            raise ValueError(f"Invalid initial_accumulator_value value: {initial_accumulator_value}")
        if eps < 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        super().__init__(params, dict(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay, initial_accumulator_value=initial_accumulator_value, foreach=foreach, maximize=maximize, differentiable=differentiable, fused=fused))
        for slot in self._slots.values():
            slot.stepped = True  # its state is shown from the start

    def _new_state(self, group, p):
        return {"step": torch.tensor(0.0), "sum": torch.full_like(p, group["initial_accumulator_value"])}

    def _update(self, group):
        for p, grad, state, _ in self._with_gradients(group):
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
        if rho < 0.0 or rho > 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        if eps < 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        super().__init__(params, dict(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize, capturable=capturable, foreach=foreach, differentiable=differentiable))

    def _new_state(self, group, p):
        return zeros_like_parameter(p, "square_avg", "acc_delta")

    def _update(self, group):
        for p, grad, state, _ in self._with_gradients(group):
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
        _check_adam(eps, betas, weight_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=foreach, maximize=maximize, differentiable=differentiable, capturable=capturable))

    def _new_state(self, group, p):
        return zeros_like_parameter(p, "exp_avg", "exp_inf")

    def _update(self, group):
        beta1, beta2 = group["betas"]
        for p, grad, state, _ in self._with_gradients(group):
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
        _check_adam(eps, betas, weight_decay)
        if momentum_decay < 0.0:
            raise ValueError(f"Invalid momentum_decay value: {momentum_decay}")
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay, decoupled_weight_decay=decoupled_weight_decay, maximize=maximize, foreach=foreach, capturable=capturable, differentiable=differentiable))

    def _new_state(self, group, p):
        return {"step": torch.tensor(0.0), "mu_product": torch.tensor(1.0), "exp_avg": torch.zeros_like(p), "exp_avg_sq": torch.zeros_like(p)}

    def _update(self, group):
        beta1, beta2 = group["betas"]
        for p, grad, state, _ in self._with_gradients(group):
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


class RAdam(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        _check_adam(eps, betas, weight_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize, foreach=foreach, capturable=capturable, decoupled_weight_decay=decoupled_weight_decay, differentiable=differentiable))

    def _new_state(self, group, p):
        return zeros_like_parameter(p, "exp_avg", "exp_avg_sq")

    def _update(self, group):
        beta1, beta2 = group["betas"]
        for p, grad, state, _ in self._with_gradients(group):
            count = state["step"]
            count += 1
            step = count.item()
            if group["weight_decay"] != 0:
                if group["decoupled_weight_decay"]:
                    p.mul_(1 - group["lr"] * group["weight_decay"])
                else:
                    grad = grad.add(p, alpha=group["weight_decay"])
            state["exp_avg"].lerp_(grad, 1 - beta1)
            state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
            bias_correction1 = 1 - beta1 ** step
            bias_correction2 = 1 - beta2 ** step
            corrected = state["exp_avg"] / bias_correction1
            longest = 2 / (1 - beta2) - 1
            rho = longest - 2 * step * (beta2 ** step) / bias_correction2
            if rho > 5.0:
                rect = ((rho - 4) * (rho - 2) * longest / ((longest - 4) * (longest - 2) * rho)) ** 0.5
                adaptive = bias_correction2 ** 0.5 / state["exp_avg_sq"].sqrt().add_(group["eps"])
                p.add_(corrected * group["lr"] * adaptive * rect, alpha=-1.0)
            else:
                p.add_(corrected * group["lr"], alpha=-1.0)


class Rprop(Optimizer):
    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None, maximize=False, differentiable=False):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, dict(lr=lr, etas=etas, step_sizes=step_sizes, foreach=foreach, maximize=maximize, differentiable=differentiable, capturable=capturable))

    def _new_state(self, group, p):
        return zeros_like_parameter(p, "prev", "step_size")

    def _update(self, group):
        shrink, grow = group["etas"]
        least, most = group["step_sizes"]
        for p, grad, state, first in self._with_gradients(group):
            if first:
                state["step_size"].fill_(group["lr"])
            state["step"] += 1
            sign = grad.mul(state["prev"]).sign()
            factor = torch.where(sign > 0, grow, torch.where(sign < 0, shrink, 1.0))
            state["step_size"].mul_(factor).clamp_(least, most)
            # After a change of sign the step is taken back by not taking one.
            grad = torch.where(sign < 0, torch.zeros_like(grad), grad)
            p.addcmul_(grad.sign(), state["step_size"], value=-1)
            state["prev"].copy_(grad)


class ASGD(Optimizer):
    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False, differentiable=False, capturable=False):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        super().__init__(params, dict(lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay, foreach=foreach, maximize=maximize, differentiable=differentiable, capturable=capturable))

    def _new_state(self, group, p):
        return {"step": torch.zeros(()), "eta": torch.zeros(()), "mu": torch.ones(()), "ax": torch.zeros_like(p)}

    def _update(self, group):
        lr, lambd = group["lr"], group["lambd"]
        for p, grad, state, first in self._with_gradients(group):
            if first:
                state["eta"].fill_(lr)
            state["step"] += 1
            step = state["step"].item()
            if group["weight_decay"] != 0:
                grad = grad.add(p, alpha=group["weight_decay"])
            eta, mu = state["eta"].item(), state["mu"].item()
            p.mul_(1 - lambd * eta)
            p.add_(grad, alpha=-eta)
            state["ax"].add_((p - state["ax"]) * mu)
            state["eta"].fill_(lr / ((1 + lambd * lr * step) ** group["alpha"]))
            state["mu"].fill_(1.0 / max(1.0, step - group["t0"]))
