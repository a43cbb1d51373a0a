#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sifr::test {

/// True if SIFR_UPDATE=1 is set: golden files are written instead of compared.
bool updating();

/// The whole file, byte for byte. Throws std::runtime_error if it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// Writes a file, but leaves one that has this text already alone, so that its time of change says something.
void write_file(const std::filesystem::path& path, std::string_view text);

/// What changed from `before` to `after`, as `diff -u` prints it; empty if nothing did. A missing line break at the end is shown.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_name, std::string_view after_name);

/// Compares a text with a golden file: `EXPECT_TRUE(matches_golden(path, text))`. While updating, writes the file and succeeds.
/// On a mismatch the message is the difference and how to accept it; a file that does not exist counts as empty.
::testing::AssertionResult matches_golden(const std::filesystem::path& golden, std::string_view text);

}  // namespace sifr::test
