"""Connectionist temporal classification (Graves et al., 2006): the sum over all alignments, step by step, in logarithms."""
import torch
from torch import _nn

# Stands for the logarithm of 0: gradients through it stay finite.
_never = -1e30


def _lengths(lengths, batch, name):
    if not isinstance(lengths, torch.Tensor):
        lengths = torch.tensor(list(lengths), dtype=torch.int64)
    lengths = lengths.reshape(-1).to(torch.int64)
    if lengths.size(0) != batch:
        raise RuntimeError(f"{name} must be of size batch_size")
    return lengths


def _in_rows(targets, lengths, batch):
    """One row of labels for each sequence; concatenated targets are cut apart."""
    if targets.dim() == 2:
        return targets.to(torch.int64)
    count = targets.size(0)
    if count == 0:
        return torch.zeros((batch, 0), dtype=torch.int64)
    starts = lengths.cumsum(0) - lengths
    places = (starts.unsqueeze(1) + torch.arange(count).unsqueeze(0)).clamp_max(count - 1)
    return targets.to(torch.int64)[places]


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if targets.is_floating_point():
        raise RuntimeError("targets must be of integral type")
    single = log_probs.dim() == 2
    x = log_probs.unsqueeze(1) if single else log_probs
    steps, batch, classes = x.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    longest = targets.size(-1)
    inputs, wanted = _lengths(input_lengths, batch, "input_lengths"), _lengths(target_lengths, batch, "target_lengths")
    if single and targets.dim() == 1:
        targets = targets.unsqueeze(0)
    most = int(inputs.max())
    if most > steps:
        raise RuntimeError(f"Expected input_lengths to have value at most {steps}, but got value {most} (while checking arguments for ctc_loss_allocate_outputs)")
    labels = _in_rows(targets, wanted, batch)
    longest = labels.size(1)
    # blank, label, blank, label, ..., blank
    extended = torch.full((batch, 2 * longest + 1), blank, dtype=torch.int64)
    if longest > 0:
        extended[:, 1::2] = labels.clamp(0, classes - 1)
    places = torch.arange(2 * longest + 1).unsqueeze(0)
    # A label may follow the one before it without a blank, if it is another.
    may_skip = torch.zeros((batch, 2 * longest + 1), dtype=torch.bool)
    if longest > 1:
        may_skip[:, 3::2] = extended[:, 3::2] != extended[:, 1:-2:2]
    alpha = torch.where((places < 2) & (places <= 2 * wanted.unsqueeze(1)), x[0].gather(1, extended), _never)
    for t in range(1, steps):
        stay = alpha
        before = torch.cat([torch.full((batch, 1), _never, dtype=x.dtype), alpha[:, :-1]], 1)
        paths = [stay, before]
        if longest > 1:
            skipped = torch.cat([torch.full((batch, 2), _never, dtype=x.dtype), alpha[:, :-2]], 1)
            paths.append(torch.where(may_skip, skipped, _never))
        moved = torch.stack(paths).logsumexp(0) + x[t].gather(1, extended)
        alpha = torch.where((t < inputs).unsqueeze(1), moved.clamp_min(_never), alpha)
    last = (2 * wanted).unsqueeze(1)
    ends = torch.cat([alpha.gather(1, last), torch.where(last > 0, alpha.gather(1, (last - 1).clamp_min(0)), _never)], 1)
    loss = -ends.logsumexp(1)
    impossible = loss.detach() > 1e29
    # PyTorch's gradient takes the logarithms to be normalized, which adds the probabilities themselves.
    valid = (torch.arange(steps).unsqueeze(1) < inputs.unsqueeze(0)).unsqueeze(2)
    mass = torch.where(valid, x.exp(), 0.0).sum((0, 2))
    loss = loss + (mass - mass.detach())
    loss = torch.where(impossible, 0.0 if zero_infinity else float("inf"), loss)
    loss = _nn.renamed(loss, "CtcLossBackward0")
    if single:
        loss = loss.squeeze(0)
        wanted = wanted.squeeze(0)
    if reduction == "mean":
        return (loss / wanted.clamp_min(1)).mean()
    return loss.sum() if reduction == "sum" else loss
