#pragma once

#include <cstdint>
#include <span>

namespace sifr {

/// The bytes of the runtime's static library (an `ar` archive of position-independent x86-64 objects), which every binary that sifr
/// makes is linked with. It needs libc and libm alone. Static memory.
std::span<const uint8_t> runtime_archive();

}  // namespace sifr
