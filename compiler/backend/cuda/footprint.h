#pragma once

#include <cstdint>
#include <set>

#include "ir/loop/loop_ir.h"

namespace sifr::cuda {

/// What a statement, with all that is in it, reads and writes, and how much it does.
struct Footprint {
    std::set<uint32_t> reads, writes;       ///< buffers
    std::set<uint32_t> uses, defines;       ///< variables
    bool scratch = false, reduces = false, contracts = false, assigns = false;
    int64_t work = 0;     ///< scalar steps, roughly; run-time extents count as many
};
Footprint footprint(const Kernel& kernel, const Block& block);
Footprint footprint(const Kernel& kernel, const Stmt& stmt);

bool intersect(const std::set<uint32_t>& a, const std::set<uint32_t>& b);

/// hi - lo, at least 0; many where it is known only at run time.
int64_t trips_of(const Affine& lo, const Affine& hi);
/// The product of two numbers that are not negative, or a large number where it would overflow.
int64_t times(int64_t a, int64_t b);

}  // namespace sifr::cuda
