#pragma once

#include "compiler/backend/backend.h"

namespace sifr {

/// The back end for NVIDIA GPUs.
Backend& cuda_backend();

}  // namespace sifr
