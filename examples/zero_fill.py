# What zeros, zero_ and views do to one another's memory.
import torch

grid = torch.ones(4, 5)
interior = grid[1:-1, 1:-1]
interior.zero_()
print(grid)

print("same memory:", interior.data_ptr() == grid.data_ptr() + 6 * grid.element_size())
print("strides:", interior.stride(), "contiguous:", interior.is_contiguous())

columns = grid[:, ::2]
columns.fill_(7)
grid[0] = 0
print(grid)

grid.t()[1].zero_()
print(grid.sum(dim=0))

# This clear does nothing: every element is written before it is read.
buffer = torch.zeros(3, 4)
buffer[:, :2] = 1.5
buffer[:, 2:] = 2.5
print(buffer)

# A product with zero is no clear: not a number stays not a number.
x = torch.tensor([1.0, float("inf"), float("nan")])
print(x * 0)
print(x.zero_())

counts = torch.zeros(4, dtype=torch.long)
for i in [0, 2, 2, 3, 2]:
    counts[i] += 1
print(counts, counts.dtype)
