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


class _Slot:
    """What one of our own optimizers keeps for a parameter. Its tensors are there before the first step, so that this step is one like the
    others and a loop over steps needs no copy of it; `optimizer.state` shows them once the parameter has taken a step."""

    def __init__(self, parameter, state):
        self.parameter = parameter
        self.state = state
        self.stepped = False


def zeros_like_parameter(p, *names):
    """A step count, and zeros in the form of p under each name."""
    state = {"step": torch.tensor(0.0)}
    for name in names:
        state[name] = torch.zeros_like(p)
    return state


class Optimizer:
    def __init__(self, params, defaults):
        self._slots = {}
        self._shown = defaultdict(dict)
        self.defaults = defaults
        self._opt_called = False
        self._step_pre_hooks = []
        self._step_post_hooks = []
        if isinstance(params, torch.Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got " + torch.typename(params))
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
        for p in param_group["params"]:
            self._make_slot(param_group, p)

    def _new_state(self, group, p):
        """The state of a parameter before its first step; none for optimizers that fill `self.state` themselves."""
        return None

    def _make_slot(self, group, p):
        state = self._new_state(group, p)
        if state is not None:
            self._slots[id(p)] = _Slot(p, state)

    def _with_gradients(self, group):
        """The parameters of a group that have a gradient, each with it, its state, and whether it takes its first step."""
        out = []
        for p in group["params"]:
            if p.grad is None:
                continue
            slot = self._slots[id(p)]
            out.append((p, -p.grad if group["maximize"] else p.grad, slot.state, not slot.stepped))
            slot.stepped = True
        return out

    @property
    def state(self):
        for slot in self._slots.values():
            if slot.stepped:
                self._shown[slot.parameter] = slot.state
        return self._shown

    @state.setter
    def state(self, value):
        self._shown = value
        for group in self.param_groups:
            for p in group["params"]:
                self._make_slot(group, p)

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none:
                    p.grad = None  # without a look at it: whether there was one makes no difference
                elif p.grad is not None:
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
        states = {numbers[id(p)]: state for p, state in self.state.items()}
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
            copy = {k: v.clone() if isinstance(v, torch.Tensor) else v for k, v in state.items()}
            p = params[number]
            if id(p) in self._slots:
                self._slots[id(p)].state = copy
                self._slots[id(p)].stepped = True
            else:
                self.state[p] = copy

    def __repr__(self):
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for key in sorted(group.keys()):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"
