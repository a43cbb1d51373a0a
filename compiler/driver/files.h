#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace sifr::driver {

/// The whole of a file; CompileError (exit code 3) where it cannot be read. `-` is the standard input.
std::string read_file(const std::string& path);

/// Writes a file whole or not at all: into a neighbour first, which then takes its name. CompileError (exit code 3) where
/// the folder cannot be written or the disk is full. `-` or empty: the standard output.
void write_file(const std::string& path, std::span<const std::byte> bytes, bool executable = false);
void write_file(const std::string& path, const std::string& text);

}  // namespace sifr::driver
