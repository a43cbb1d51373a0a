#include <array>

#include "compiler/backend/backend.h"
#include "compiler/backend/cuda/backend.h"
#include "compiler/backend/llvm/host_program.h"
#include "ir/base/check.h"

namespace sifr {

std::span<Backend* const> backends() {
    static const std::array<Backend*, 2> all{&llvm_backend(), &cuda_backend()};
    return all;
}

Backend& backend_named(const std::string& name) {
    for (Backend* b : backends())
        if (b->name() == name) return *b;
    SIFR_UNREACHABLE("no back end '{}'", name);
}

}  // namespace sifr
