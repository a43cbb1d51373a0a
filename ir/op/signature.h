#pragma once

#include "ir/op/op_def.h"

namespace sifr {

/// Parses a row's signature. A malformed one is a fault of ours.
Signature parse_signature(std::string_view text);

}  // namespace sifr
