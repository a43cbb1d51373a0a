#pragma once

#include <string>
#include <vector>

#include "compiler/backend/code_cache.h"
#include "compiler/backend/device_program.h"

namespace sifr::cuda {

/// What one `__global__` function takes of the machine.
struct Resources {
    std::string symbol;
    int registers = 0;
    int64_t shared_bytes = 0, stack_bytes = 0, spill_bytes = 0;
};

using Compiled = CompiledCode;  ///< its log is what NVRTC and ptxas say

/// NVIDIA's run-time compiler, loaded by name when it is first needed and never linked. Looked for, in this order:
///   1. the file that SIFR_NVRTC names, and nothing else if it is set;
///   2. libnvrtc.so.13, .12 and without a number, where the dynamic loader looks;
///   3. lib64 and lib in CUDA_HOME, CUDA_PATH, /usr/local/cuda, and /usr/local/cuda-N.M, the newest first;
///   4. NVIDIA's packages for Python, in VIRTUAL_ENV, in the home folder and in the system's.
class Nvrtc {
public:
    /// Throws CompileError (exit code 3) with all that was tried, if there is none.
    static const Nvrtc& get();
    /// Empty, or what `get` would say.
    static std::string missing();

    [[nodiscard]] int version() const { return major_ * 1000 + minor_ * 10; }  ///< 13000 for 13.0
    [[nodiscard]] std::string version_text() const;
    /// Architectures that it knows: 80, 86, …
    [[nodiscard]] const std::vector<int>& architectures() const { return architectures_; }
    /// May be called from several threads.
    [[nodiscard]] Compiled compile(const std::string& source, const std::vector<std::string>& options, bool ptx) const;

private:
    Nvrtc() = default;
    std::string load();
    static Nvrtc& instance();

    struct Functions;
    const Functions* functions_ = nullptr;
    int major_ = 0, minor_ = 0;
    std::vector<int> architectures_;
    std::string path_, why_not_;
};

/// The lines of ptxas in a log of `-Xptxas=-v`.
std::vector<Resources> resources_of(const std::string& log);
/// The other lines: warnings.
std::string warnings_of(const std::string& log);

}  // namespace sifr::cuda
