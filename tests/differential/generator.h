#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace sifr::test {

/// A program in PyTorch's words, made of a seed: the same text for the same seed on every machine.
struct GeneratedProgram {
    std::string text;
    std::map<std::string, int> features;  ///< what it has, by name: `view: slice with step`, `loop: nested`, …
};

/// Small programs about what sifr changes most: views, writes through them, aliases, clears, loops and branches on run-time values,
/// gradients and their accumulation, hazards inside `try`. Numbers stay small, so that most are exact in any order of summing.
GeneratedProgram generate_program(uint64_t seed);

}  // namespace sifr::test
