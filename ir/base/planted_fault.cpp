#include "ir/base/planted_fault.h"

#ifdef SIFR_PLANTED_FAULTS
namespace sifr {
Fault planted_fault = Fault::None;
}
#endif
