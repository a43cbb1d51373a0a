#pragma once

#include <string>
#include <vector>

#include "compiler/backend/backend.h"
#include "compiler/backend/cuda/nvrtc.h"

namespace sifr::cuda {

/// Prints all kernels of a plan and says which translation units they form; without images.
DeviceProgram print_program(const Plan& plan, const BackendOptions& options);

/// The text of one unit.
std::string unit_text(const DeviceProgram& program, int unit);

struct UnitReport {
    int unit = 0, arch = 0;
    bool ptx = false, cached = false;
    double seconds = 0;
    std::vector<Resources> resources;
    std::string warnings;
};

/// Machine code of every unit for each architecture, and PTX for the newest, in `program.images`; several at a time. Throws CompileError with exit
/// code 3 when there is no NVRTC, or none for an architecture that was asked for by name.
std::vector<UnitReport> compile_units(DeviceProgram& program, const BackendOptions& options);

}  // namespace sifr::cuda
