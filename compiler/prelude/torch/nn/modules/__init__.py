"""The modules of torch.nn, by topic."""
