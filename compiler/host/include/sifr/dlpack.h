/// Tensors of other libraries, without a copy.
#pragma once

#include <sifr/memory.h>

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace sifr {

/// Takes a DLPack tensor of the CPU over: its deleter is called when the last copy of the result goes. Elements are not copied. Throws for
/// another device, an element type that sifr lacks, or negative strides; then the tensor stays the caller's.
SIFR_API HostTensor from_dlpack(DLManagedTensor* tensor);
SIFR_API HostTensor from_dlpack(DLManagedTensorVersioned* tensor);
/// Gives a tensor away: whoever gets it calls its deleter. It keeps the memory alive; for memory that is the caller's (`owns_memory()` is
/// false) the caller does.
SIFR_API DLManagedTensor* to_dlpack(const HostTensor& tensor);
SIFR_API DLManagedTensorVersioned* to_dlpack_versioned(const HostTensor& tensor);

}  // namespace sifr
