"""What is done when a function of torch has a complex tensor, number or dtype among its arguments."""
import torch
from torch import _nn
from torch._complex import Tensor, _kind
from torch._complex.elements import elements, errors
from torch._complex.shapes import shapes, views
from torch._complex.products import products
from torch._complex.creation import creation, as_complex
from torch._complex.writes import writes

_table = {}
for _part in (elements, shapes, views, products, creation, writes):
    _table.update(_part)

# What only asks about dtypes is the function's own business.
_questions = ("promote_types", "can_cast", "set_default_dtype")


def _base(name):
    """The function that a method in place is made of."""
    if name[-1:] == "_" and name[-2:] != "__" and name not in _table:
        return name[:-1]
    return ""


def has(name):
    return name in _table or name in errors or (_base(name) != "" and (_base(name) in elements or _base(name) in errors or _base(name) in shapes))


def _node_name(name):
    return "".join([word.capitalize() for word in name.split("_")]) + "Backward0"


def named(node, result):
    """With the node that PyTorch prints, if there is one."""
    if isinstance(result, Tensor):
        return Tensor(named(node, result._pairs)) if result._pairs.grad_fn is not None else result
    if type(result) is torch.Tensor and result.grad_fn is not None:
        return _nn.renamed(result, node)
    return result


def _compute(name, args, kwargs):
    if name in errors:
        kind, text = errors[name]
        for value in args:
            if isinstance(value, torch.Tensor) and value.is_complex():
                text = text.replace("{kind}", _kind(value))
                break
        raise kind(text.replace("{kind}", "ComplexFloat"))
    if name not in _table:
        raise NotImplementedError(f"not supported: {name} of complex tensors")
    result = _table[name](*args, **kwargs)
    if name in elements or name in products:
        return named(_node_name(name), result)
    return result


def call_named(name, args, kwargs):
    if "out" in kwargs and kwargs["out"] is not None:
        out = kwargs["out"]
        rest = {k: v for k, v in kwargs.items() if k != "out"}
        result = _compute(name, args, rest)
        if isinstance(result, Tensor) != isinstance(out, Tensor):
            raise RuntimeError("result type ComplexFloat can't be cast to the desired output type Float")
        if result.shape != out.shape:
            raise NotImplementedError("not supported: out= of another size for complex tensors")
        return out.copy_(result)
    base = _base(name)
    if base == "":
        return _compute(name, args, kwargs)
    result = _compute(base, args, kwargs)
    target = args[0]
    if isinstance(result, Tensor) and not isinstance(target, Tensor):
        raise RuntimeError(f"result type {_kind(result)} can't be cast to the desired output type {_scalar_names[target.dtype]}")
    if result.shape != target.shape:
        raise RuntimeError(f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(result.shape)}")
    return target.copy_(result)


_scalar_names = {torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16", torch.int64: "Long",
                 torch.int32: "Int", torch.int16: "Short", torch.int8: "Char", torch.uint8: "Byte", torch.bool: "Bool"}


def call(func, args, kwargs):
    name = func.__name__
    if name in _questions:
        return _nn.call_native(func, *args, **kwargs)
    if len(args) > 0 and isinstance(args[0], Tensor) and name in ("dim", "size", "stride", "numel", "is_complex", "is_floating_point", "is_conj", "detach",
                                                                "backward", "requires_grad_", "item", "tolist", "is_signed", "is_neg", "register_hook", "data_ptr"):
        return getattr(args[0], name)(*args[1:], **kwargs)
    if "input" in kwargs:
        args = (kwargs["input"],) + args
        kwargs = {k: v for k, v in kwargs.items() if k != "input"}
    return call_named(name, args, kwargs)
