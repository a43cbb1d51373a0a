#pragma once

#include <string>

namespace sifr::codegen {

/// The code of a plan that is a function.
inline constexpr const char* entry_symbol = "sifr.entry";

/// A kernel's name in object code. No function of C has such a name, whatever the kernel is called.
inline std::string kernel_symbol(const std::string& kernel) { return "kernel." + kernel; }

}  // namespace sifr::codegen
