#pragma once

#include "ir/base/diagnostic.h"

namespace sifr::torch_messages {

#define SIFR_TORCH_MESSAGES(X)                                                                                           \
    X(no_torch_zero, "no-torch-zero", Warning, "PyTorch has no `torch.zero`: this is read as `torch.{}`")                \
    X(stale_gradient, "stale-gradient", Warning, "the gradient is of another value than the one that was computed with") \
    X(cuda_random, "cuda-random", Warning,                                                                               \
      "these random numbers for a tensor on the GPU come from the CPU's stream: with the same seed PyTorch draws others there")

SIFR_DEFINE_MESSAGES(SIFR_TORCH_MESSAGES)

}  // namespace sifr::torch_messages
