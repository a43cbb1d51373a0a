#pragma once

#include "compiler/host/include/sifr/sifr.h"

namespace sifr::host {

/// Fresh contiguous memory, 64-byte aligned; elements undefined.
HostTensor allocate(std::span<const int64_t> sizes, Dtype dtype);

}  // namespace sifr::host
