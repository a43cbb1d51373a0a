"""What all optimizers share: groups of parameters, state per parameter, clearing of gradients."""
from collections import defaultdict, OrderedDict
import torch


class _Required:
    def __repr__(self):
        return "<required parameter>"


required = _Required()


class _HookHandle:
    def __init__(self, hooks, hook):
        self._hooks = hooks
        self._hook = hook
        hooks.append(hook)

    def remove(self):
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)


class Optimizer:
    def __init__(self, params, defaults):
        self.defaults = defaults
        self._opt_called = False
        self._step_pre_hooks = []
        self._step_post_hooks = []
        if isinstance(params, torch.Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got " + torch.typename(params))
        self.state = {}
        self.param_groups = []
        groups = list(params)
        if len(groups) == 0:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            if isinstance(groups[0], tuple):
                groups = [{"params": [p for _, p in groups], "param_names": [n for n, _ in groups]}]
            else:
                groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group):
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, torch.Tensor):
            param_group["params"] = [params]
        elif isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change between runs. Please use a list instead.")
        else:
            param_group["params"] = list(params)
        for p in param_group["params"]:
            if not isinstance(p, torch.Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is " + torch.typename(p))
            if not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        params = param_group["params"]
        if len(params) != len(set([id(p) for p in params])):
            import warnings
            warnings.warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; see github.com/pytorch/pytorch/issues/40967 for more information")
        known = set([id(p) for g in self.param_groups for p in g["params"]])
        if any([id(p) in known for p in params]):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def _state_of(self, p):
        key = id(p)
        if key not in self._states():
            self._states()[key] = {}
            self.state[p] = self._states()[key]
        return self._states()[key]

    def _with_gradients(self, group, *buffers):
        """The parameters of a group that have a gradient, each with it and its state. A new state has a step count, and zeros under the names."""
        out = []
        for p in group["params"]:
            if p.grad is None:
                continue
            state = self._state_of(p)
            if len(state) == 0:
                state["step"] = torch.tensor(0.0)
                for name in buffers:
                    state[name] = torch.zeros_like(p)
            out.append((p, -p.grad if group["maximize"] else p.grad, state))
        return out

    def _states(self):
        if not hasattr(self, "_by_id"):
            self._by_id = {}
        return self._by_id

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    if set_to_none:
                        p.grad = None
                    else:
                        if p.grad.grad_fn is not None:
                            p.grad.detach_()
                        else:
                            p.grad.requires_grad_(False)
                        p.grad.zero_()

    def register_step_pre_hook(self, hook):
        return _HookHandle(self._step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        return _HookHandle(self._step_post_hooks, hook)

    def step(self, closure=None):
        self._opt_called = True
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for hook in self._step_pre_hooks:
            hook(self, (), {})
        with torch.no_grad():
            for group in self.param_groups:
                self._update(group)
        for hook in self._step_post_hooks:
            hook(self, (), {})
        return loss

    def _update(self, group):
        raise NotImplementedError

    def state_dict(self):
        numbers = {}
        groups = []
        for group in self.param_groups:
            packed = {k: v for k, v in group.items() if k != "params"}
            packed["params"] = []
            for p in group["params"]:
                if id(p) not in numbers:
                    numbers[id(p)] = len(numbers)
                packed["params"].append(numbers[id(p)])
            groups.append(packed)
        states = {numbers[key]: state for key, state in self._states().items()}
        return {"state": states, "param_groups": groups}

    def load_state_dict(self, state_dict):
        groups = state_dict["param_groups"]
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        params = []
        for own, loaded in zip(self.param_groups, groups):
            if len(own["params"]) != len(loaded["params"]):
                raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
            params += own["params"]
            for k, v in loaded.items():
                if k != "params":
                    own[k] = v
        for number, state in state_dict["state"].items():
            mine = self._state_of(params[number])
            for k, v in state.items():
                mine[k] = v.clone() if isinstance(v, torch.Tensor) else v

    def __repr__(self):
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for key in sorted(group.keys()):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"
