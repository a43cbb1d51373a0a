#pragma once

#include <cstddef>
#include <vector>

namespace sifr::codegen {

/// Links an object that has `_start` and `main` with the embedded runtime against the system's libc and libm: a position
/// independent executable that the machine's dynamic loader starts. No compiler and no libc headers are needed. Throws CompileError
/// (exit code 3) when the system's libraries are not found.
std::vector<std::byte> link_executable(const std::vector<std::byte>& object);

}  // namespace sifr::codegen
