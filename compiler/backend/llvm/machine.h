#pragma once

#include <cstdint>
#include <string>

namespace sifr::codegen {

/// The CPU that code is made for, as far as code generation asks. Results never depend on it, only speed does.
struct Machine {
    std::string cpu;       ///< LLVM's name
    std::string features;  ///< LLVM's list `+avx2,-…`; empty: those of the name
    bool avx512 = false;   ///< F, BW, DQ and VL
    uint64_t required_features = 0;  ///< SIFR_CPU_… bits that the code may use
    int64_t l1_bytes = 32 << 10;
    int64_t l2_bytes = 512 << 10;

    [[nodiscard]] int64_t vector_bytes() const { return avx512 ? 64 : 32; }
    /// Iterations that a vector loop takes at a time: two registers of the widest element.
    [[nodiscard]] int lanes_for(int64_t element_bytes) const { return static_cast<int>(2 * vector_bytes() / (element_bytes < 4 ? 4 : element_bytes)); }
};

/// `native`, `x86-64-v3` … or LLVM's name. Throws CompileError when LLVM does not know it or when it lacks AVX2 and FMA,
/// which the defined order of contractions needs.
Machine machine_for(const std::string& target_cpu);

}  // namespace sifr::codegen
