#pragma once

#include <memory>
#include <vector>

#include "compiler/backend/backend.h"

namespace sifr::codegen {

/// Links an object file of a plan into this process.
std::unique_ptr<LoadedProgram> load_object(const std::vector<std::byte>& object);

}  // namespace sifr::codegen
