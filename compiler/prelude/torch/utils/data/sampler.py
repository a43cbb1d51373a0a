"""The order in which a loader takes the items of a data set."""
import torch


class Sampler:
    def __init__(self, data_source=None):
        pass

    def __iter__(self):
        raise NotImplementedError

    def _drawn(self):
        """All indices in their order: a list, or a tensor where they are drawn when the program runs."""
        return list(self)


class SequentialSampler(Sampler):
    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class _DrawnSampler(Sampler):
    def __iter__(self):
        return iter([index.item() for index in self._drawn()])


class RandomSampler(_DrawnSampler):
    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self):
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def _drawn(self):
        n, wanted, generator = len(self.data_source), self.num_samples, self.generator
        if generator is None:
            seed = torch.empty((), dtype=torch.int64).random_().item()
            generator = torch.Generator()
            generator.manual_seed(seed)
        if self.replacement:
            # In pieces of 32, as PyTorch draws them.
            pieces = [32] * (wanted // 32) + [wanted % 32]
            return torch.cat([torch.randint(n, (piece,), generator=generator) for piece in pieces])
        rounds = [torch.randperm(n, generator=generator) for _ in range(wanted // n)]
        return torch.cat(rounds + [torch.randperm(n, generator=generator)[:wanted % n]])

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(_DrawnSampler):
    def __init__(self, indices, generator=None):
        self.indices = indices
        self.generator = generator

    def _drawn(self):
        return torch.tensor(self.indices)[torch.randperm(len(self.indices), generator=self.generator)]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(_DrawnSampler):
    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        weights = torch.as_tensor(weights, dtype=torch.double)
        if len(weights.shape) != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(weights.shape)}")
        self.weights = weights
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def _drawn(self):
        return torch.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    def __init__(self, sampler, batch_size, drop_last):
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def _pieces(self):
        """Each batch's indices: lists, or tensors (see Sampler._drawn)."""
        order = self.sampler._drawn() if isinstance(self.sampler, Sampler) else list(self.sampler)
        end = len(order) - len(order) % self.batch_size if self.drop_last else len(order)
        for begin in range(0, end, self.batch_size):
            yield order[begin:min(begin + self.batch_size, end)]

    def __iter__(self):
        for piece in self._pieces():
            yield [index.item() for index in piece] if isinstance(piece, torch.Tensor) else piece

    def __len__(self):
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else (n + self.batch_size - 1) // self.batch_size
