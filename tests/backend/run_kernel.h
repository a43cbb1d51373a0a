#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/loop/loop_ir.h"

namespace sifr::test {

/// A kernel from its text, verified.
Kernel parsed_kernel(const std::string& text);

/// Bytes for each parameter of a kernel: floats in a modest range with zeros of both signs, infinities and NaNs among them where
/// `specials`, integers small, indices (`I64` buffers named `index…`) in 0 … 7. The same seed gives the same bytes.
std::vector<std::vector<std::byte>> random_arguments(const Kernel& k, uint32_t seed, bool specials);

/// Runs the kernel in the interpreter and through the back end on equal arguments and compares every byte of every buffer
/// and the status word; a NaN equals any NaN. `cpu` as in BackendOptions.
std::string compare_with_interpreter(const Kernel& k, std::vector<int64_t> scalars = {}, uint32_t seed = 1, bool specials = false,
                                     const std::string& cpu = "native");

/// The assembly that the back end makes of one kernel.
std::string assembly_of(const Kernel& k, const std::string& cpu);

}  // namespace sifr::test
