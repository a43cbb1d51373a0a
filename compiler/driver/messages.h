#pragma once

#include "ir/base/diagnostic.h"

namespace sifr::driver {

#define SIFR_DRIVER_MESSAGES(X)                                  \
    X(cannot_read, "cannot-read", Error, "cannot read '{}': {}") \
    X(cannot_write, "cannot-write", Error, "cannot write '{}': {}")

SIFR_DEFINE_MESSAGES(SIFR_DRIVER_MESSAGES)

}  // namespace sifr::driver
