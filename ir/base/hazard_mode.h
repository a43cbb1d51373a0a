#pragma once

#include <cstdint>

namespace sifr {

/// What becomes of a value that a backward needs and a write has changed, `--hazards=`: an error while compiling where it is certain; a
/// warning; a copy in front of the write; or nothing before the program itself raises.
enum class HazardMode : uint8_t { Error, Warn, Repair, Trap };

}  // namespace sifr
