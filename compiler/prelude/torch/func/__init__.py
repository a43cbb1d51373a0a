"""Functions of functions: gradients, products with Jacobians, and maps over an axis.

A gradient here is torch.autograd's on tensors of its own: each level makes its arguments anew, so that levels nest. A map calls the
function once for each slice and stacks what it gives."""
import torch


# How many gradients are being taken around the present call: an inner one must stay differentiable for the outer ones.
_levels = [0]


# ---- trees of tensors

def _map_tree(f, tree):
    if isinstance(tree, torch.Tensor):
        return f(tree)
    if isinstance(tree, dict):
        return {k: _map_tree(f, v) for k, v in tree.items()}
    if isinstance(tree, tuple):
        return tuple([_map_tree(f, v) for v in tree])
    if isinstance(tree, list):
        return [_map_tree(f, v) for v in tree]
    return tree


def _leaves(tree):
    if isinstance(tree, torch.Tensor):
        return [tree]
    out = []
    if isinstance(tree, dict):
        for v in tree.values():
            out += _leaves(v)
    elif isinstance(tree, (tuple, list)):
        for v in tree:
            out += _leaves(v)
    return out


def _refilled(tree, leaves):
    """The tree with other leaves, in the same order."""
    rest = iter(leaves)
    return _map_tree(lambda _: next(rest), tree)


# ---- gradients

def _own(t):
    """A tensor of this level: what the outer levels know of the given one stays known through it."""
    return t.view_as(t) if t.requires_grad else t.detach().requires_grad_()


def _plain(tree, tracked):
    """Results as the caller's level sees them: without a history where it has none itself."""
    return tree if tracked else _map_tree(lambda t: t.detach() if t.requires_grad else t, tree)


def _gradients(outputs, inputs, cotangents, tracked):
    outs, weights = [], []
    for o, c in zip(outputs, cotangents):
        if o.requires_grad:
            outs.append(o)
            weights.append(c)
    if not outs:
        return [torch.zeros_like(i) for i in inputs]
    grads = torch.autograd.grad(outs, inputs, weights, retain_graph=True, create_graph=tracked, allow_unused=True)
    return [torch.zeros_like(i) if g is None else g for g, i in zip(grads, inputs)]


def _position(k, args):
    if not -len(args) <= k < len(args):
        raise RuntimeError(f"Got argnum={k}, but only {len(args)} positional inputs")
    return k % len(args)


def _chosen(argnums, args):
    return [_position(k, args) for k in (argnums if isinstance(argnums, tuple) else (argnums,))]


def _called(func, args, kwargs, places):
    """`func` of arguments of a level of its own: the result, the level's tensors, and whether an outer level watches."""
    tracked = _levels[0] > 0 or any([t.requires_grad for k in places for t in _leaves(args[k])])
    for k in places:
        for t in _leaves(args[k]):
            if not t.is_floating_point():
                raise RuntimeError("only Tensors of floating point dtype can require gradients")
    own = [_map_tree(_own, a) if k in places else a for k, a in enumerate(args)]
    _levels[0] += 1
    with torch.enable_grad():
        result = func(*own, **kwargs)
    _levels[0] -= 1
    return result, own, tracked


def grad_and_value(func, argnums=0, has_aux=False):
    def wrapper(*args, **kwargs):
        places = _chosen(argnums, args)
        output, own, tracked = _called(func, args, kwargs, places)
        aux = None
        if has_aux:
            if not (isinstance(output, tuple) and len(output) == 2):
                raise RuntimeError("grad_and_value(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True")
            output, aux = output
        if not isinstance(output, torch.Tensor):
            raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a tensor, got {type(output)}")
        if output.dim() != 0:
            raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a scalar tensor, got tensor with {output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?")
        leaves = _leaves([own[k] for k in places])
        grads = iter(_gradients([output], leaves, [torch.ones_like(output)], tracked))
        trees = [_map_tree(lambda _: next(grads), own[k]) for k in places]
        grad_tree = _plain(tuple(trees) if isinstance(argnums, tuple) else trees[0], tracked)
        output = _plain(output, tracked)
        if has_aux:
            return grad_tree, (output, _plain(aux, tracked))
        return grad_tree, output
    return wrapper


def grad(func, argnums=0, has_aux=False):
    both = grad_and_value(func, argnums, has_aux)

    def wrapper(*args, **kwargs):
        grads, value = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads
    return wrapper


def vjp(func, *primals, has_aux=False):
    output, own, tracked = _called(func, primals, {}, range(len(primals)))
    aux = None
    if has_aux:
        if not (isinstance(output, tuple) and len(output) == 2):
            raise RuntimeError("vjp(f, *primals): output of function f should be a tuple: (output, aux) if has_aux is True")
        output, aux = output
    outputs = _leaves(output)

    def vjp_fn(*cotangents):
        given = _leaves(cotangents)
        for g, o in zip(given, outputs):
            if g.shape != o.shape:
                raise RuntimeError(f"Mismatch in shape: grad_output[0] has a shape of {g.shape} and output[0] has a shape of {o.shape}.")
        watched = tracked or _levels[0] > 0 or any([g.requires_grad for g in given])
        grads = iter(_gradients(outputs, _leaves(own), given, watched))
        return _plain(tuple([_map_tree(lambda _: next(grads), a) for a in own]), watched)
    shown = _plain(output, tracked)
    return (shown, vjp_fn, _plain(aux, tracked)) if has_aux else (shown, vjp_fn)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    if not isinstance(primals, tuple):
        raise RuntimeError(f"jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    for p, t in zip(_leaves(primals), _leaves(tangents)):
        if p.shape != t.shape:
            raise RuntimeError(f"Expected tangent to have the same shape as primal. Got primal of shape {p.shape} and tangent of shape {t.shape}")
    output, own, tracked = _called(func, primals, {}, range(len(primals)))
    aux = None
    if has_aux:
        output, aux = output
    given, leaves = _leaves(tangents), _leaves(own)
    watched = tracked or any([t.requires_grad for t in given])

    def tangent_of(o):
        # A product with the Jacobian is the gradient of the product with its transpose, which is linear in the weight.
        if not o.requires_grad:
            return torch.zeros_like(o)
        weight = torch.zeros_like(o).requires_grad_()
        rows = torch.autograd.grad(o, leaves, weight, retain_graph=True, create_graph=True, allow_unused=True)
        used = [(r, t) for r, t in zip(rows, given) if r is not None and r.requires_grad]
        if not used:
            return torch.zeros_like(o)
        g = torch.autograd.grad([r for r, _ in used], weight, [t for _, t in used], retain_graph=True, create_graph=watched, allow_unused=True)[0]
        return torch.zeros_like(o) if g is None else g
    _levels[0] += 1
    with torch.enable_grad():
        moved = _map_tree(tangent_of, output)
    _levels[0] -= 1
    result = (_plain(output, watched), _plain(moved, watched))
    return result + (_plain(aux, watched),) if has_aux else result


def _rows_of(output, leaves, tracked):
    """The gradient of each element of `output` towards each leaf, stacked: [numel of output, sizes of the leaf]."""
    flat = output.reshape(-1)
    rows = [_gradients([flat[i]], leaves, [torch.ones_like(flat[i])], tracked) for i in range(flat.numel())]
    if not rows:
        return [t.new_zeros((0,) + tuple(t.shape)) for t in leaves]
    return [torch.stack([row[k] for row in rows]) for k in range(len(leaves))]


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None):
    def wrapper(*args):
        places = _chosen(argnums, args)
        output, own, tracked = _called(func, args, {}, places)
        aux = None
        if has_aux:
            output, aux = output
        leaves = _leaves([own[k] for k in places])
        if not _leaves(output):
            raise RuntimeError(f"jacrev(f, *args): Expected f(*args) to return a tensor, got {type(output)}")

        def jacobian_of(o):
            parts = [r.reshape(tuple(o.shape) + tuple(t.shape)) for r, t in zip(_rows_of(o, leaves, tracked), leaves)]
            rest = iter(parts)
            trees = [_map_tree(lambda _: next(rest), own[k]) for k in places]
            return tuple(trees) if isinstance(argnums, tuple) else trees[0]
        result = _plain(_map_tree(jacobian_of, output), tracked)
        return (result, _plain(aux, tracked)) if has_aux else result
    return wrapper


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    return jacrev(func, argnums, has_aux=has_aux)


def hessian(func, argnums=0):
    return jacfwd(jacrev(func, argnums), argnums)


# ---- maps

def _in_dims_tree(in_dims, args):
    """One dim, or None, for each leaf of the arguments."""
    def spread(dims, arg, top):
        if isinstance(arg, torch.Tensor) or not isinstance(arg, (dict, tuple, list)):
            if dims is not None and not isinstance(dims, int):
                raise ValueError(f"vmap: Got in_dim={dims} for an input but in_dim must be either an integer dimension or None.")
            if dims is not None and not isinstance(arg, torch.Tensor):
                raise ValueError(f"vmap(f, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dims} for an input but the input is of type {type(arg)}. We cannot vmap over non-Tensor arguments, please use None as the respective in_dim")
            return [dims]
        members = list(arg.values()) if isinstance(arg, dict) else list(arg)
        if isinstance(dims, dict):
            dims = [dims[k] for k in arg]
        elif not isinstance(dims, (tuple, list)):
            dims = [dims] * len(members)
        out = []
        for d, m in zip(dims, members):
            out += spread(d, m, False)
        return out
    return spread(in_dims if isinstance(in_dims, tuple) else [in_dims] * len(args), args, True)


def _tree_leaves(tree):
    """All leaves, those that are no tensors too."""
    if isinstance(tree, dict):
        return [x for v in tree.values() for x in _tree_leaves(v)]
    if isinstance(tree, (tuple, list)):
        return [x for v in tree for x in _tree_leaves(v)]
    return [tree]


def _rebuilt(tree, rest):
    if isinstance(tree, dict):
        return {k: _rebuilt(v, rest) for k, v in tree.items()}
    if isinstance(tree, tuple):
        return tuple([_rebuilt(v, rest) for v in tree])
    if isinstance(tree, list):
        return [_rebuilt(v, rest) for v in tree]
    return next(rest)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")

    def wrapper(*args, **kwargs):
        if not isinstance(in_dims, (int, tuple)):
            raise ValueError(f"vmap(f, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}.")
        if not args:
            raise ValueError(f"vmap(f)(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function with no inputs. The latter is unsupported.")
        if isinstance(in_dims, tuple) and len(in_dims) != len(args):
            raise ValueError(f"vmap(f, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of `inputs`. in_dims has structure {'*'} but inputs has structure {'*'}.")
        leaves, dims = _tree_leaves(args), _in_dims_tree(in_dims, args)
        sizes = []
        for t, d in zip(leaves, dims):
            if d is None:
                continue
            if t.dim() == 0:
                raise ValueError(f"vmap(f, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for an input but the input is of dimension 0. We cannot vmap over a 0-d tensor.")
            if not -t.dim() <= d < t.dim():
                raise ValueError(f"vmap(f, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for some input, but that input is a Tensor of dimensionality {t.dim()} so expected in_dim to satisfy -{t.dim()} <= in_dim < {t.dim()}.")
            sizes.append(t.size(d))
        if not sizes:
            raise ValueError("vmap: at least one input must be mapped, but all of in_dims is None")
        if any([s != sizes[0] for s in sizes]):
            raise ValueError(f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped dimension")
        if sizes[0] == 0:
            raise NotImplementedError("not supported: vmap over an empty dimension")
        slices = [t if d is None else t.unbind(d) for t, d in zip(leaves, dims)]
        results = []
        for i in range(sizes[0]):
            results.append(func(*_rebuilt(args, iter([s if d is None else s[i] for s, d in zip(slices, dims)])), **kwargs))
        parts = [_tree_leaves(r) for r in results]
        for x in parts[0]:
            if not isinstance(x, torch.Tensor):
                raise ValueError(f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, got type {type(x)}. Did you mean to set out_dims= to None for output?")
        if isinstance(out_dims, int):
            ends = [out_dims] * len(parts[0])
        else:
            ends = list(out_dims)
            if len(ends) != len(parts[0]):
                raise ValueError(f"vmap({_name(func)}, ..., out_dims={out_dims}): out_dims is not compatible with the structure of `outputs`.")
        stacked = [parts[0][k] if ends[k] is None else torch.stack([p[k] for p in parts], ends[k]) for k in range(len(parts[0]))]
        return _rebuilt(results[0], iter(stacked))
    return wrapper


def _name(func):
    return func.__name__ if hasattr(func, "__name__") else repr(func)


# ---- modules as functions of their parameters

def _owner(module, path):
    names = path.split(".")
    for name in names[:-1]:
        module = getattr(module, name)
    return module, names[-1]


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    given = {}
    for d in (parameter_and_buffer_dicts if isinstance(parameter_and_buffer_dicts, (tuple, list)) else [parameter_and_buffer_dicts]):
        for k, v in d.items():
            if k in given:
                raise ValueError(f"{k} appears in multiple dictionaries; behavior of functional call is ambiguous")
            given[k] = v
    known = {k: v for k, v in module.named_parameters()}
    known.update({k: v for k, v in module.named_buffers()})
    if strict:
        unexpected = [k for k in given if k not in known]
        missing = [k for k in known if k not in given]
        if unexpected or missing:
            text = "Error(s) in loading state_dict for " + type(module).__name__ + ":\n"
            parts = []
            if unexpected:
                parts.append("\tUnexpected key(s): " + ", ".join([f'"{k}"' for k in unexpected]) + ".")
            if missing:
                parts.append("\tMissing key(s): " + ", ".join([f'"{k}"' for k in missing]) + ".")
            raise RuntimeError(text + "\n".join(parts))
    replaced = []
    for path, value in given.items():
        owner, name = _owner(module, path)
        table = owner._parameters if name in owner._parameters else owner._buffers
        if name not in table:
            raise AttributeError(f"'{type(owner).__name__}' object has no attribute '{name}'")
        replaced.append((table, name, table[name]))
        table[name] = value
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    try:
        return module(*positional, **({} if kwargs is None else kwargs))
    finally:
        for table, name, value in replaced:
            table[name] = value


def stack_module_state(models):
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if any([m.training != models[0].training for m in models]):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any([type(m) is not type(models[0]) for m in models]):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def stacked(tables):
        out = {}
        for name, first in tables[0].items():
            made = torch.stack([t[name] for t in tables]).detach()
            out[name] = made.requires_grad_(first.requires_grad)
        return out
    params = stacked([{k: v for k, v in m.named_parameters()} for m in models])
    buffers = stacked([{k: v for k, v in m.named_buffers()} for m in models])
    return params, buffers
