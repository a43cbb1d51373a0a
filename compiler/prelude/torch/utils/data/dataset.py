"""Data sets: what has items by index, and what has them one after the other."""
import math
import warnings
import torch


class Dataset:
    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])

    def _rows(self, indices):
        """The items at `indices`, stacked, where all of them can be taken at once; else None."""
        return None


class IterableDataset(Dataset):
    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    def __init__(self, *tensors):
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].size(0)

    def _rows(self, indices):
        return [tensor[indices] for tensor in self.tensors]


class StackDataset(Dataset):
    def __init__(self, *args, **kwargs):
        if args and kwargs:
            raise ValueError("Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both types are given.")
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets = args if args else kwargs
        parts = list(args) if args else list(kwargs.values())
        self._length = len(parts[0])
        if any(len(part) != self._length for part in parts):
            raise ValueError("Size mismatch between datasets")

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: part[index] for name, part in self.datasets.items()}
        return tuple(part[index] for part in self.datasets)

    def __len__(self):
        return self._length


class ConcatDataset(Dataset):
    def __init__(self, datasets):
        self.datasets = list(datasets)
        if len(self.datasets) == 0:
            raise AssertionError("datasets should not be an empty iterable")
        self.cumulative_sizes = []
        total = 0
        for part in self.datasets:
            if isinstance(part, IterableDataset):
                raise AssertionError("ConcatDataset does not support IterableDataset")
            total += len(part)
            self.cumulative_sizes.append(total)

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, index):
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        begin = 0
        for part, end in zip(self.datasets, self.cumulative_sizes):
            if index < end:
                return part[index - begin]
            begin = end
        raise IndexError("list index out of range")


class ChainDataset(IterableDataset):
    def __init__(self, datasets):
        self.datasets = datasets

    def __iter__(self):
        for part in self.datasets:
            yield from part

    def __len__(self):
        return sum(len(part) for part in self.datasets)


class Subset(Dataset):
    def __init__(self, dataset, indices):
        self.dataset = dataset
        # A list of numbers, or a tensor of them: the draw of random_split.
        self._indices = indices

    @property
    def indices(self):
        return self._indices.tolist() if isinstance(self._indices, torch.Tensor) else self._indices

    def __getitem__(self, index):
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        place = self._indices[index]
        return self.dataset[place.item() if isinstance(place, torch.Tensor) else place]

    def __len__(self):
        return len(self._indices)

    def _rows(self, indices):
        own = self._indices if isinstance(self._indices, torch.Tensor) else torch.tensor(self._indices)
        return self.dataset._rows(own[indices]) if isinstance(self.dataset, Dataset) else None


def random_split(dataset, lengths, generator=None):
    lengths = list(lengths)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for k, fraction in enumerate(lengths):
            if fraction < 0 or fraction > 1:
                raise ValueError(f"Fraction at index {k} is not between 0 and 1")
        lengths = [math.floor(len(dataset) * fraction) for fraction in lengths]
        for k in range(len(dataset) - sum(lengths)):
            lengths[k % len(lengths)] += 1
        for k, length in enumerate(lengths):
            if length == 0:
                warnings.warn(f"Length of split at index {k} is 0. This might result in an empty dataset.")
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = torch.randperm(len(dataset), generator=generator)
    parts = []
    begin = 0
    for length in lengths:
        parts.append(Subset(dataset, order[begin:begin + length]))
        begin += length
    return parts
