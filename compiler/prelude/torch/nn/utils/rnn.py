"""Sequences of different lengths: padded to one tensor, or packed without padding. Lengths are known when the program is compiled."""
import torch
from torch import _nn


class PackedSequence:
    """The elements of all sequences step by step, the longest sequence first."""

    def __init__(self, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None, _sizes=None):
        self.data = data
        self.batch_sizes = batch_sizes
        self.sorted_indices = sorted_indices
        self.unsorted_indices = invert_permutation(sorted_indices) if unsorted_indices is None else unsorted_indices
        self._sizes = [int(n) for n in batch_sizes] if _sizes is None else _sizes

    def __iter__(self):
        return iter([self.data, self.batch_sizes, self.sorted_indices, self.unsorted_indices])

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return [self.data, self.batch_sizes, self.sorted_indices, self.unsorted_indices][index]

    def __repr__(self):
        return f"PackedSequence(data={self.data}, batch_sizes={self.batch_sizes}, sorted_indices={self.sorted_indices}, unsorted_indices={self.unsorted_indices})"

    def to(self, *args, **kwargs):
        return PackedSequence(self.data.to(*args, **kwargs), self.batch_sizes, self.sorted_indices, self.unsorted_indices, self._sizes)

    @property
    def is_cuda(self):
        return self.data.is_cuda


def invert_permutation(permutation):
    return None if permutation is None else torch.argsort(permutation)


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    if isinstance(lengths, torch.Tensor):
        known = _nn.known_numbers(lengths)
        if known is None:
            raise NotImplementedError("not supported: lengths of sequences that are known only at run time; give a list of numbers")
        lengths = known
    lengths = [int(n) for n in lengths]
    batch = input.size(0 if batch_first else 1)
    order = sorted_indices = None
    if not enforce_sorted:
        order = sorted(range(len(lengths)), key=lambda k: -lengths[k])
        sorted_indices = torch.tensor(order)
        lengths = [lengths[k] for k in order]
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    x = input.transpose(0, 1) if batch_first else input
    if len(lengths) != batch:
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size={batch})")
    if lengths[-1] <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
    for k in range(1, len(lengths)):
        if lengths[k] > lengths[k - 1]:
            raise RuntimeError("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability.")
    if lengths[0] > x.size(0):
        raise RuntimeError(f"Expected `lengths` to have values at most {x.size(0)}, but got {lengths[0]}")
    sizes = [len([n for n in lengths if n > t]) for t in range(lengths[0])]
    data = torch.cat([x[t, :n] for t, n in enumerate(sizes)])
    inverse = None if order is None else torch.tensor([order.index(k) for k in range(len(order))])
    return PackedSequence(data, torch.tensor(sizes), sorted_indices, inverse, sizes)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    sizes = sequence._sizes
    steps, batch = len(sizes), sizes[0]
    if total_length is not None:
        if total_length < steps:
            raise ValueError(f"Expected total_length to be at least the length of the longest sequence in input, but got total_length={total_length} and max sequence length being {steps}")
        steps = total_length
    out = torch.full([steps, batch] + list(sequence.data.shape)[1:], padding_value, dtype=sequence.data.dtype)
    for t, part in enumerate(sequence.data.split(sizes)):
        out[t, :sizes[t]] = part
    lengths = torch.tensor([len([n for n in sizes if n > k]) for k in range(batch)])
    out = out.transpose(0, 1) if batch_first else out
    if sequence.unsorted_indices is not None:
        return out.index_select(0 if batch_first else 1, sequence.unsorted_indices), lengths[sequence.unsorted_indices]
    return out, lengths


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    sequences = list(sequences)
    if len(sequences) == 0:
        raise RuntimeError("received an empty list of sequences")
    longest = max([s.size(0) for s in sequences])
    rows = []
    for s in sequences:
        missing = torch.full([longest - s.size(0)] + list(s.shape)[1:], padding_value, dtype=s.dtype)
        rows.append(torch.cat([s, missing] if padding_side == "right" else [missing, s]))
    return torch.stack(rows, 0 if batch_first else 1)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:int(n)] for row, n in zip(rows, lengths)]


def pack_sequence(sequences, enforce_sorted=True):
    return pack_padded_sequence(pad_sequence(sequences), [s.size(0) for s in sequences], enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
