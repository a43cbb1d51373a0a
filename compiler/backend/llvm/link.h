#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sifr::codegen {

// No compiler and no libc headers are needed for any of these. They throw CompileError (exit code 3) when the system's libraries are not found.

/// Links objects that have `_start` and `main` with the embedded runtime against the system's libc and libm: a position
/// independent executable that the machine's dynamic loader starts.
std::vector<std::byte> link_executable(const std::vector<std::vector<std::byte>>& objects);

/// A shared library of the object and what it needs of the runtime, which shows the names `PREFIX_…` alone.
std::vector<std::byte> link_shared(const std::vector<std::byte>& object, const std::string& prefix);

/// An archive of the object and the whole runtime, of which a program takes what it needs.
std::vector<std::byte> archive_static(const std::vector<std::byte>& object, const std::string& member);

}  // namespace sifr::codegen
