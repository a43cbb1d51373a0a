"""Hooks of modules that run in the backward: the module's inputs and outputs pass a function that has no effect but to tell its gradients."""
import warnings
import torch


class BackwardHookFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, told, *args):
        ctx.told = told
        return args if len(args) != 1 else args[0]

    @staticmethod
    def backward(ctx, *grads):
        return (None,) + tuple(ctx.told(grads))


def _passed(told, values):
    """`values` with those that require grad passed through, and their places."""
    places = [k for k, v in enumerate(values) if isinstance(v, torch.Tensor) and v.requires_grad]
    if not torch.is_grad_enabled() or not places:
        return values, []
    passed = BackwardHookFunction.apply(told, *[values[k] for k in places])
    if len(places) == 1:
        passed = (passed,)
    out = list(values)
    for k, v in zip(places, passed):
        out[k] = v
    return tuple(out), places


def _spread(grads, places, count):
    out = [None] * count
    for k, g in zip(places, grads):
        out[k] = g
    return tuple(out)


def called_with_hooks(module, args, kwargs):
    seen = {}

    def run_hooks(grad_inputs):
        for hook in list(module._backward_hooks.values()):
            changed = hook(module, grad_inputs, seen["outputs"])
            if changed is not None:
                grad_inputs = changed if isinstance(changed, tuple) else (changed,)
        return grad_inputs

    def at_inputs(grads):
        whole = run_hooks(_spread(grads, seen["input_places"], len(args)))
        return [whole[k] for k in seen["input_places"]]

    def at_outputs(grads):
        whole = _spread(grads, seen["output_places"], seen["output_count"])
        for hook in list(module._backward_pre_hooks.values()):
            changed = hook(module, whole)
            if changed is not None:
                whole = changed if isinstance(changed, tuple) else (changed,)
        seen["outputs"] = whole
        if not seen["input_places"] and module._backward_hooks:
            warnings.warn("Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook for more details.")
            run_hooks(tuple([None for a in args]))
        return [whole[k] for k in seen["output_places"]]

    entered, seen["input_places"] = _passed(at_inputs, args)
    result = module._called(entered, kwargs)
    single = not isinstance(result, (tuple, list))
    values = (result,) if single else tuple(result)
    seen["output_count"] = len(values)
    # The gradients arrive when everything below is known.
    seen["output_places"] = [k for k, v in enumerate(values) if isinstance(v, torch.Tensor) and v.requires_grad]
    left, _ = _passed(at_outputs, values)
    if single:
        return left[0]
    return left if isinstance(result, tuple) else list(left)
