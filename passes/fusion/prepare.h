#pragma once

#include "ir/func/function.h"

namespace sifr {

/// Writes what a kernel does in one step as instructions of their own; see prepare.cpp.
void prepare_for_fusion(Function& f);

/// The row that reduces over attribute `dim` with this combiner and gives one result.
Op reduction_row(std::string_view combiner);

}  // namespace sifr
