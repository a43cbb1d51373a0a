"""Gradients compared with central differences, as torch.autograd.gradcheck does in its slow mode: one Jacobian [inputs, outputs] for
each pair of a differentiable input and a differentiable output."""
import warnings
import torch


class GradcheckError(RuntimeError):
    pass


def _tensors(x):
    if isinstance(x, torch.Tensor):
        return (x,)
    return tuple(x)


def _differentiable(outputs):
    return [o for o in _tensors(outputs) if isinstance(o, torch.Tensor) and o.requires_grad]


def _numerical(func, inputs, k, eps, count):
    """Central differences by the elements of input k: for each of `count` outputs a Jacobian."""
    x = inputs[k]
    rows = [[] for _ in range(count)]
    for e in range(x.numel()):
        ends = []
        for step in (eps, -eps):
            moved = x.detach().clone()
            moved.view(-1)[e] += step
            moved.requires_grad_()
            with torch.no_grad():
                out = func(*[moved if j == k else i for j, i in enumerate(inputs)])
            ends.append([o.detach().clone() for o in _tensors(out) if isinstance(o, torch.Tensor) and o.is_floating_point()])
        for o in range(count):
            rows[o].append(((ends[0][o] - ends[1][o]) / (2 * eps)).reshape(-1))
    return [torch.stack(r) for r in rows]


def _analytical(func, inputs, tracked, o, create_graph=False):
    """The Jacobians of output o by each tracked input, a column by element of the output."""
    output = _differentiable(func(*inputs))[o]
    columns = [[] for _ in tracked]
    for e in range(output.numel()):
        seed = torch.zeros_like(output)
        seed.view(-1)[e] = 1
        grads = torch.autograd.grad(output, tracked, seed, retain_graph=True, allow_unused=True)
        for t, g in enumerate(grads):
            columns[t].append(torch.zeros(tracked[t].numel(), dtype=tracked[t].dtype) if g is None else g.reshape(-1))
    return [torch.stack(c, 1) for c in columns]


def gradcheck(func, inputs, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False,
              check_batched_grad=False, check_batched_forward_grad=False, check_forward_ad=False, check_backward_ad=True, fast_mode=False, masked=None):
    if check_forward_ad or check_batched_grad or fast_mode:
        raise NotImplementedError("not supported: gradcheck in forward, batched or fast mode")
    inputs = _tensors(inputs)
    places = [k for k, i in enumerate(inputs) if isinstance(i, torch.Tensor) and i.requires_grad]
    if not places:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of the them have requires_grad=True.")
    for k in places:
        if inputs[k].is_complex():
            raise NotImplementedError("not supported: gradcheck of complex inputs")
        if inputs[k].dtype != torch.float64:
            warnings.warn(f"Input #{k} requires gradient and is not a double precision floating point or complex. This check will likely fail if all the inputs are not of double precision floating point or complex. ")
    tracked = [inputs[k] for k in places]
    outputs = _differentiable(func(*inputs))
    if not outputs:
        return True
    numerical = [_numerical(func, inputs, k, eps, len(outputs)) for k in places]
    for o in range(len(outputs)):
        analytical = _analytical(func, inputs, tracked, o)
        for t in range(len(tracked)):
            a, n = analytical[t], numerical[t][o]
            if not torch.allclose(a, n, rtol, atol):
                if raise_exception:
                    raise GradcheckError(f"Jacobian mismatch for output {o} with respect to input {t},\nnumerical:{n}\nanalytical:{a}\n")
                return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-06, atol=1e-05, rtol=0.001, gen_non_contig_grad_outputs=False, raise_exception=True, nondet_tol=0.0,
                  check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False, check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False,
                  masked=False):
    inputs = _tensors(inputs)
    if grad_outputs is None:
        outputs = _differentiable(func(*inputs))
        grad_outputs = tuple([torch.randn_like(o, dtype=torch.float64).requires_grad_() for o in outputs])
    else:
        grad_outputs = _tensors(grad_outputs)
    count = len(grad_outputs)

    def gradients(*args):
        own, seeds = args[:-count], args[-count:]
        tracked = [x for x in own if isinstance(x, torch.Tensor) and x.requires_grad]
        with torch.enable_grad():
            made = torch.autograd.grad(_differentiable(func(*own)), tracked, seeds, create_graph=True, allow_unused=True)
        return tuple([g for g in made if g is not None])
    return gradcheck(gradients, inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)
