#pragma once

#include <optional>

#include "compiler/frontend/torch/emit.h"

/// Writes at indices into a tensor whose elements share places.
namespace sifr::capture {

/// The write as one at places of the storage, done in order, so that every element that shares a place sees it. Unbound where `op` has
/// no indices, or where no two elements of `dest` share a place.
PyValue write_at_places(Interpreter& in, PyValue dest, Op op, const Operands& operands, const Attrs& attributes);

}  // namespace sifr::capture
