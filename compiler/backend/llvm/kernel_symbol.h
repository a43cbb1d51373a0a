#pragma once

#include <string>

namespace sifr::codegen {

/// A kernel's name in object code. No function of C has such a name, whatever the kernel is called.
inline std::string kernel_symbol(const std::string& kernel) { return "kernel." + kernel; }

}  // namespace sifr::codegen
