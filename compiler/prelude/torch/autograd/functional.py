"""Jacobians, Hessians and products with them, on top of torch.autograd.grad."""
import torch



def _tuple(value, what, function):
    """The value as a tuple of tensors, and whether it was one."""
    if isinstance(value, tuple):
        tensors, many = value, True
    else:
        tensors, many = (value,), False
    for i, t in enumerate(tensors):
        if not isinstance(t, torch.Tensor):
            if many:
                raise TypeError(f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the value at index {i} has type {type(t)}.")
            raise TypeError(f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the given {what} has type {type(t)}.")
    return tensors, many


def _own(inputs, create_graph):
    return tuple([t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_() for t in inputs])


def _given(tensors, create_graph):
    return tensors if create_graph else tuple([t.detach() if t.requires_grad else t for t in tensors])


def _shown(value, many):
    return value if many else value[0]


def _gradients(output, inputs, weight, create_graph):
    if not output.requires_grad:
        return tuple([torch.zeros_like(t) for t in inputs])
    grads = torch.autograd.grad(output, inputs, weight, retain_graph=True, create_graph=create_graph, allow_unused=True)
    return tuple([torch.zeros_like(t) if g is None else g for g, t in zip(grads, inputs)])


def _evaluated(func, inputs, create_graph, function):
    tensors, many_inputs = _tuple(inputs, "inputs", function)
    own = _own(tensors, create_graph)
    with torch.enable_grad():
        result = func(*own)
    outputs, many_outputs = _tuple(result, "outputs of the user-provided function", function)
    return own, many_inputs, outputs, many_outputs


def _check_strict(output, own, k, strict):
    if not strict:
        return
    if not output.requires_grad:
        raise RuntimeError(f"Output {k} of the user-provided function does not require gradients. The outputs must be computed in a differentiable manner from the input when running in strict mode.")
    grads = torch.autograd.grad(output.sum(), own, retain_graph=True, allow_unused=True)
    for i, g in enumerate(grads):
        if g is None:
            raise RuntimeError(f"Output {k} of the user-provided function is independent of input {i}. This is not allowed in strict mode.")


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    own, many_inputs, outputs, many_outputs = _evaluated(func, inputs, create_graph, "jacobian")
    rows = []
    for k, output in enumerate(outputs):
        _check_strict(output, own, k, strict)
        flat = output.reshape(-1)
        grads = [_gradients(flat[i], own, None, create_graph) for i in range(flat.numel())]
        rows.append(tuple([torch.stack([g[j] for g in grads]).view(tuple(output.shape) + tuple(t.shape)) for j, t in enumerate(own)]))
    rows = [_given(r, create_graph) for r in rows]
    rows = tuple([_shown(r, many_inputs) for r in rows])
    return _shown(rows, many_outputs)


def _scalar(result, function):
    if not isinstance(result, torch.Tensor):
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if result.numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")
    return result.reshape(())


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    tensors, many = _tuple(inputs, "inputs", "hessian")

    def slope(*own):
        with torch.enable_grad():
            value = _scalar(func(*own), "hessian")
            return _gradients(value, own, None, True)
    full = jacobian(slope, tensors, create_graph=create_graph, strict=strict)
    return full if many else full[0][0]


def _weight(v, like, function, what):
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if {what}.")
        return tuple([torch.ones_like(t) for t in like])
    vectors, _ = _tuple(v, "v", function)
    if len(vectors) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}.")
    for i, (t, w) in enumerate(zip(like, vectors)):
        if t.size() != w.size():
            at = f"Entry {i} in " if len(like) > 1 else ""
            raise RuntimeError(f"{at}v has invalid size: should be {t.size()} but got {w.size()}.")
    return vectors


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    own, many_inputs, outputs, many_outputs = _evaluated(func, inputs, create_graph, "vjp")
    weights = _weight(v, outputs, "vjp", "the user-provided function returns a single Tensor with a single element")
    total = None
    for output, weight in zip(outputs, weights):
        grads = _gradients(output, own, weight, create_graph)
        total = grads if total is None else tuple([a + b for a, b in zip(total, grads)])
    return _shown(_given(outputs, create_graph), many_outputs), _shown(_given(total, create_graph), many_inputs)


def _forward(outputs, own, vectors, create_graph):
    """Products with the Jacobian: the gradient, towards the weight, of the product with its transpose."""
    moved = []
    for output in outputs:
        weight = torch.zeros_like(output).requires_grad_()
        grads = _gradients(output, own, weight, True)
        used = [(g, w) for g, w in zip(grads, vectors) if g.requires_grad]
        if not used:
            moved.append(torch.zeros_like(output))
            continue
        moved.append(torch.autograd.grad([g for g, _ in used], weight, [w for _, w in used], retain_graph=True, create_graph=create_graph)[0])
    return tuple(moved)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    own, many_inputs, outputs, many_outputs = _evaluated(func, inputs, create_graph, "jvp")
    vectors = _weight(v, own, "jvp", "the input to the user-provided function is a single Tensor with a single element")
    with torch.enable_grad():
        moved = _forward(outputs, own, vectors, create_graph)
    return _shown(_given(outputs, create_graph), many_outputs), _shown(_given(moved, create_graph), many_outputs)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    tensors, many = _tuple(inputs, "inputs", "vhp")
    own = _own(tensors, create_graph)
    vectors = _weight(v, own, "vhp", "the input to the user-provided function is a single Tensor with a single element")
    with torch.enable_grad():
        value = _scalar(func(*own), "vhp")
        slope = _gradients(value, own, None, True)
        used = [(s, w) for s, w in zip(slope, vectors) if s.requires_grad]
        grads = torch.autograd.grad([s for s, _ in used], own, [w for _, w in used], retain_graph=True, create_graph=create_graph, allow_unused=True) if used else [None] * len(own)
    product = tuple([torch.zeros_like(t) if g is None else g for g, t in zip(grads, own)])
    return _given((value,), create_graph)[0], _shown(_given(product, create_graph), many)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    # The matrix is symmetric.
    return vhp(func, inputs, v, create_graph, strict)
