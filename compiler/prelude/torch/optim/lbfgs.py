"""Limited-memory BFGS (Nocedal and Wright, 2006). Its memory has a fixed number of rows, oldest first, which are zeros until they are used."""
import torch
from torch.optim.optimizer import Optimizer


class LBFGS(Optimizer):
    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9, history_size=100, line_search_fn=None, *, maximize=False):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        defaults = dict(lr=lr, max_iter=max_iter, max_eval=max_eval, tolerance_grad=tolerance_grad, tolerance_change=tolerance_change, history_size=history_size, line_search_fn=line_search_fn, maximize=maximize)
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]
        self._sign = -1.0 if maximize else 1.0
        n = sum([p.numel() for p in self._params])
        like = self._params[0]
        self._started = torch.tensor(False)
        self._d = torch.zeros(n, dtype=like.dtype)
        self._t = torch.tensor(0.0, dtype=like.dtype)
        self._old_grad = torch.zeros(n, dtype=like.dtype)
        self._scale = torch.tensor(1.0, dtype=like.dtype)
        self._changes = torch.zeros(history_size, n, dtype=like.dtype)
        self._steps = torch.zeros(history_size, n, dtype=like.dtype)
        self._rho = torch.zeros(history_size, dtype=like.dtype)

    def _flat_grad(self):
        return torch.cat([torch.zeros(p.numel(), dtype=p.dtype) if p.grad is None else p.grad.reshape(-1) for p in self._params]).detach().clone() * self._sign

    def _move(self, direction, step):
        at = 0
        for p in self._params:
            n = p.numel()
            p.add_(direction[at:at + n].view_as(p) * step)
            at += n

    def _evaluate(self, closure):
        with torch.enable_grad():
            loss = closure()
        return loss

    def _direction(self, grad):
        """Two loops over the memory: what Newton's method would do with the Hessian that the memory remembers."""
        history = self._rho.size(0)
        q = -grad
        weights = torch.zeros_like(self._rho)
        for k in range(history):
            i = history - 1 - k
            w = self._steps[i].dot(q) * self._rho[i]
            weights[i] = w
            q = q - w * self._changes[i]
        r = q * self._scale
        for i in range(history):
            b = self._changes[i].dot(r) * self._rho[i]
            r = r + (weights[i] - b) * self._steps[i]
        return r

    def _remember(self, grad):
        y, s = grad - self._old_grad, self._d * self._t
        ys = y.dot(s)
        use = torch.logical_and(self._started, ys > 1e-10)
        self._changes = torch.where(use, torch.cat([self._changes[1:], y.unsqueeze(0)]), self._changes)
        self._steps = torch.where(use, torch.cat([self._steps[1:], s.unsqueeze(0)]), self._steps)
        self._rho = torch.where(use, torch.cat([self._rho[1:], (1.0 / ys).unsqueeze(0)]), self._rho)
        self._scale = torch.where(use, ys / y.dot(y), self._scale)

    def step(self, closure):
        self._opt_called = True
        with torch.no_grad():
            return self._iterate(closure)

    def _iterate(self, closure):
        group = self.param_groups[0]
        lr, max_iter, max_eval = group["lr"], group["max_iter"], group["max_eval"]
        tolerance_grad, tolerance_change = group["tolerance_grad"], group["tolerance_change"]
        search = group["line_search_fn"]
        if search is not None:
            if search != "strong_wolfe":
                raise RuntimeError("only 'strong_wolfe' is supported")
            raise NotImplementedError("not supported: LBFGS with a line search")
        first_loss = self._evaluate(closure)
        loss = first_loss.detach().clone() * self._sign
        grad = self._flat_grad()
        running = torch.tensor(True) & (grad.abs().max() > tolerance_grad)
        evaluations, iteration = 1, 0
        while bool(running):
            iteration += 1
            self._remember(grad)
            self._d = torch.where(self._started, self._direction(grad), -grad)
            self._old_grad = grad
            self._t = torch.where(self._started, lr, torch.clamp(1.0 / grad.abs().sum(), max=1.0) * lr).to(grad.dtype)
            self._started = torch.tensor(True)
            slope = grad.dot(self._d)
            old_loss = loss
            running = slope <= -tolerance_change
            if bool(running):
                self._move(self._d, self._t)
                if iteration != max_iter:
                    loss = self._evaluate(closure).detach().clone() * self._sign
                    grad = self._flat_grad()
                    evaluations += 1
                small_grad = grad.abs().max() <= tolerance_grad
                small_step = (self._d * self._t).abs().max() <= tolerance_change
                small_change = (loss - old_loss).abs() < tolerance_change
                running = ~(small_grad | small_step | small_change)
                if iteration == max_iter or evaluations >= max_eval:
                    running = torch.tensor(False)
        return first_loss
