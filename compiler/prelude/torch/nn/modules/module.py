"""Modules: parameters, buffers and modules by name, and a call that runs `forward`."""
from collections import OrderedDict
import torch
from torch.nn.parameter import Parameter


def _indented(text, width):
    lines = text.split("\n")
    if len(lines) == 1:
        return text
    return lines[0] + "\n" + "\n".join([" " * width + line for line in lines[1:]])


class _HookHandle:
    def __init__(self, hooks, key):
        self._hooks = hooks
        self._key = key

    def remove(self):
        if self._key in self._hooks:
            del self._hooks[self._key]


class _Incompatible(tuple):
    @property
    def missing_keys(self):
        return self[0]

    @property
    def unexpected_keys(self):
        return self[1]

    def __repr__(self):
        if not self[0] and not self[1]:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self[0]}, unexpected_keys={self[1]})"


class Module:
    def __init__(self):
        object.__setattr__(self, "training", True)
        object.__setattr__(self, "_parameters", {})
        object.__setattr__(self, "_buffers", {})
        object.__setattr__(self, "_modules", {})
        object.__setattr__(self, "_non_persistent_buffers_set", set())
        object.__setattr__(self, "_forward_hooks", OrderedDict())
        object.__setattr__(self, "_forward_pre_hooks", OrderedDict())
        object.__setattr__(self, "_backward_hooks", OrderedDict())
        object.__setattr__(self, "_backward_pre_hooks", OrderedDict())

    def __getattr__(self, name):
        state = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            if table in state and name in state[table]:
                return state[table][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        state = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in state:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name)
            self._parameters[name] = value
        elif isinstance(value, Module):
            if "_modules" not in state:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name)
            self._modules[name] = value
        elif "_parameters" in state and name in self._parameters:
            if value is not None:
                raise TypeError(f"cannot assign '{torch.typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)")
            self._parameters[name] = None
        elif "_modules" in state and name in self._modules:
            if value is not None:
                raise TypeError(f"cannot assign '{torch.typename(value)}' as child module '{name}' (torch.nn.Module or None expected)")
            self._modules[name] = None
        elif "_buffers" in state and name in self._buffers:
            if value is not None and not isinstance(value, torch.Tensor):
                raise TypeError(f"cannot assign '{torch.typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)")
            self._buffers[name] = value
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name):
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
        elif name in self._modules:
            del self._modules[name]
        else:
            object.__delattr__(self, name)

    def _forget(self, name):
        if name in self.__dict__:
            object.__delattr__(self, name)
        for table in (self._parameters, self._buffers, self._modules):
            if name in table:
                del table[name]

    def __call__(self, *args, **kwargs):
        for hook in list(self._forward_pre_hooks.values()):
            changed = hook(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        if self._backward_hooks or self._backward_pre_hooks:
            from torch.nn.modules._backward_hooks import called_with_hooks
            return called_with_hooks(self, args, kwargs)
        return self._called(args, kwargs)

    def _called(self, args, kwargs):
        result = self.forward(*args, **kwargs)
        for hook in list(self._forward_hooks.values()):
            changed = hook(self, args, result)
            if changed is not None:
                result = changed
        return result

    def forward(self, *args):
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    # ---- registration

    def register_parameter(self, name, param):
        if "." in name:
            raise KeyError('parameter name can\'t contain "."')
        if name == "":
            raise KeyError('parameter name can\'t be empty string ""')
        if hasattr(self, name) and name not in self._parameters:
            raise KeyError(f"attribute '{name}' already exists")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{torch.typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)")
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        if "." in name:
            raise KeyError('buffer name can\'t contain "."')
        if name == "":
            raise KeyError('buffer name can\'t be empty string ""')
        if hasattr(self, name) and name not in self._buffers:
            raise KeyError(f"attribute '{name}' already exists")
        if tensor is not None and not isinstance(tensor, torch.Tensor):
            raise TypeError(f"cannot assign '{torch.typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)")
        self._buffers[name] = tensor
        if not persistent:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name, module):
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{torch.typename(module)} is not a Module subclass")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = module

    def register_module(self, name, module):
        self.add_module(name, module)

    def register_forward_hook(self, hook):
        key = len(self._forward_hooks)
        while key in self._forward_hooks:
            key += 1
        self._forward_hooks[key] = hook
        return _HookHandle(self._forward_hooks, key)

    def _add_hook(self, hooks, hook):
        key = len(hooks)
        while key in hooks:
            key += 1
        hooks[key] = hook
        return _HookHandle(hooks, key)

    def register_full_backward_hook(self, hook, prepend=False):
        if prepend:
            raise NotImplementedError("not supported: register_full_backward_hook with prepend=True")
        return self._add_hook(self._backward_hooks, hook)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        if prepend:
            raise NotImplementedError("not supported: register_full_backward_pre_hook with prepend=True")
        return self._add_hook(self._backward_pre_hooks, hook)

    def register_backward_hook(self, hook):
        raise NotImplementedError("not supported: register_backward_hook, use register_full_backward_hook")

    def register_forward_pre_hook(self, hook):
        key = len(self._forward_pre_hooks)
        while key in self._forward_pre_hooks:
            key += 1
        self._forward_pre_hooks[key] = hook
        return _HookHandle(self._forward_pre_hooks, key)

    # ---- walking

    def _collect(self, table, prefix, recurse, remove_duplicate):
        found = []
        seen = []
        modules = self._walk(prefix, remove_duplicate) if recurse else [(prefix, self)]
        for place, module in modules:
            for name, value in getattr(module, table).items():
                if value is None or (remove_duplicate and any([value is s for s in seen])):
                    continue
                seen.append(value)
                found.append((place + ("." if place else "") + name, value))
        return found

    def _walk(self, prefix="", remove_duplicate=True, seen=None):
        if seen is None:
            seen = []
        if remove_duplicate and any([self is s for s in seen]):
            return []
        seen.append(self)
        found = [(prefix, self)]
        for name, module in self._modules.items():
            if module is not None:
                found += module._walk(prefix + ("." if prefix else "") + name, remove_duplicate, seen)
        return found

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        return iter(self._collect("_parameters", prefix, recurse, remove_duplicate))

    def parameters(self, recurse=True):
        return iter([p for _, p in self._collect("_parameters", "", recurse, True)])

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        return iter(self._collect("_buffers", prefix, recurse, remove_duplicate))

    def buffers(self, recurse=True):
        return iter([b for _, b in self._collect("_buffers", "", recurse, True)])

    def named_children(self):
        found = []
        for name, module in self._modules.items():
            if module is not None and not any([module is m for _, m in found]):
                found.append((name, module))
        return iter(found)

    def children(self):
        return iter([m for _, m in self.named_children()])

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        return iter(self._walk(prefix, remove_duplicate))

    def modules(self):
        return iter([m for _, m in self._walk()])

    def get_submodule(self, target):
        module = self
        if target:
            for part in target.split("."):
                if not hasattr(module, part):
                    raise AttributeError(f"{type(module).__name__} has no attribute `{part}`")
                module = getattr(module, part)
        return module

    def get_parameter(self, target):
        place, _, name = target.rpartition(".")
        return getattr(self.get_submodule(place), name)

    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # ---- modes and conversions

    def train(self, mode=True):
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        for p in self.parameters():
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    if p.grad.grad_fn is not None:
                        p.grad.detach_()
                    else:
                        p.grad.requires_grad_(False)
                    p.grad.zero_()

    def _convert(self, convert):
        for module in self.children():
            module._convert(convert)
        for p in self._parameters.values():
            if p is not None:
                with torch.no_grad():
                    p.data = convert(p.data)
                    if p.grad is not None:
                        p.grad = convert(p.grad)
        for name, b in self._buffers.items():
            if b is not None:
                self._buffers[name] = convert(b)
        return self

    def to(self, *args, **kwargs):
        def convert(t):
            if t.is_floating_point():
                return t.to(*args, **kwargs)
            for a in list(args) + list(kwargs.values()):
                if isinstance(a, (str, torch.device)):
                    return t.to(a)
            return t
        return self._convert(convert)

    def float(self):
        return self._convert(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        return self._convert(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        return self._convert(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self):
        return self._convert(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def type(self, dst_type):
        return self._convert(lambda t: t.type(dst_type))

    def cuda(self, device=None):
        return self._convert(lambda t: t.cuda(device))

    def cpu(self):
        return self._convert(lambda t: t.cpu())

    def share_memory(self):
        return self

    # ---- state

    def state_dict(self, destination=None, prefix="", keep_vars=False):
        if destination is None:
            destination = OrderedDict()
        for name, p in self._parameters.items():
            if p is not None:
                destination[prefix + name] = p if keep_vars else p.detach()
        for name, b in self._buffers.items():
            if b is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = b if keep_vars else b.detach()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination, prefix + name + ".", keep_vars)
        return destination

    def load_state_dict(self, state_dict, strict=True, assign=False):
        own = self.state_dict(keep_vars=True)
        missing = [k for k in own if k not in state_dict]
        unexpected = [k for k in state_dict if k not in own]
        errors = []
        if strict:
            if unexpected:
                errors.append("Unexpected key(s) in state_dict: " + ", ".join([f'"{k}"' for k in unexpected]) + ". ")
            if missing:
                errors.append("Missing key(s) in state_dict: " + ", ".join([f'"{k}"' for k in missing]) + ". ")
        for key, value in state_dict.items():
            if key not in own:
                continue
            target = own[key]
            if target.shape != value.shape:
                errors.append(f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in current model is {target.shape}.")
                continue
            with torch.no_grad():
                target.copy_(value)
        if errors:
            raise RuntimeError("Error(s) in loading state_dict for {}:\n\t{}".format(type(self).__name__, "\n\t".join(errors)))
        return _Incompatible((missing, unexpected))

    # ---- text

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = []
        for name, module in self._modules.items():
            child_lines.append("(" + name + "): " + _indented(repr(module), 2))
        lines = extra_lines + child_lines
        text = self._get_name() + "("
        if lines:
            if len(extra_lines) == 1 and not child_lines:
                text += extra_lines[0]
            else:
                text += "\n  " + "\n  ".join(lines) + "\n"
        return text + ")"
