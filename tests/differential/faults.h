#pragma once

#include <string>

#include "tests/differential/differential.h"

namespace sifr::test {

/// Plants each fault of ir/base/planted_fault.h in turn (or the one named `only`), runs programs until one differs, and prints after how
/// many it was found. False if one was not found, or if this build has none.
bool find_faults(const Differential& d, const std::string& only);

}  // namespace sifr::test
