// Groups whose elements lie at run-time indices.

#include "ir/base/diagnostic.h"
#include "passes/fusion/nest.h"

namespace sifr {

void GroupLowering::gather() { throw NotSupported("gathers in kernels"); }
void GroupLowering::scatter() { throw NotSupported("scatters in kernels"); }

}  // namespace sifr
