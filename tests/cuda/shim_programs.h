#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/process.h"

namespace sifr::test {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// The environment in which the shim stands in for NVRTC and the driver.
inline Environment shim_environment(Environment more = {}) {
    Environment e{{"LD_LIBRARY_PATH", SIFR_SHIM_FOLDER},
                  {"SIFR_NVRTC", SIFR_SHIM_FOLDER "/libsifr_nvrtc_shim.so"},
                  {"SIFR_CACHE_DIR", ""},
                  {"SIFR_TEST_CUDA_CODE", SIFR_SHIM_CODE}};
    e.insert(e.end(), more.begin(), more.end());
    return e;
}

/// Compiles a script for the GPU, with the shim's NVRTC.
inline CommandResult build_for_shim(const std::filesystem::path& script, const std::filesystem::path& program, std::vector<std::string> more = {}) {
    Command command{.argv = {SIFR_BINARY, "build", "--device=cuda", "--gpu-arch=sm_90", script.string(), "-o", program.string()}, .environment = shim_environment()};
    command.argv.insert(command.argv.end(), more.begin(), more.end());
    return run_command(command);
}

}  // namespace sifr::test
