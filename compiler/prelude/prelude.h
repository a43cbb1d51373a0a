#pragma once

#include <span>

namespace sifr {

/// A module written in the accepted language and embedded in the compiler.
struct PreludeFile {
    const char* module;  ///< `torch.nn.modules.linear`
    const char* path;    ///< `torch/nn/modules/linear.py`, for messages about the prelude itself
    const char* text;
};
std::span<const PreludeFile> prelude_files();

}  // namespace sifr
