#pragma once

#include <memory>
#include <vector>

#include "compiler/backend/backend.h"
#include "compiler/backend/device_program.h"

namespace sifr {

/// The host part of a plan whose kernels run on a device: a program that launches them through runtime/sifr_cuda.h.
std::vector<std::byte> compile_host(const Plan& plan, const DeviceProgram& device, Emit what, const BackendOptions& options);
std::unique_ptr<LoadedProgram> load_host(const Plan& plan, const DeviceProgram& device, const BackendOptions& options);

/// The back end for the CPU.
Backend& llvm_backend();

}  // namespace sifr
