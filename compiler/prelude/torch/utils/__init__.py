"""What stands beside the tensors themselves: data sets and loaders, checkpoints of activations."""
