// Groups whose elements lie at run-time indices, or that write their result piece by piece.

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "passes/fusion/nest.h"

namespace sifr {

void GroupLowering::gather() { throw NotSupported("gathers in kernels"); }
void GroupLowering::scatter() { throw NotSupported("scatters in kernels"); }
void GroupLowering::scan() { throw NotSupported("scans in kernels"); }
void GroupLowering::concat() { throw NotSupported("concatenations in kernels"); }
void GroupLowering::contraction() { throw NotSupported("contractions in kernels"); }

}  // namespace sifr
