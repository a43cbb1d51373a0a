#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compiler/frontend/torch/emit.h"

namespace sifr::capture {

/// A call of a row with its arguments in their places.
struct BoundCall {
    Op op;
    Operands operands;
    Attrs attributes;
};

/// Binds Python arguments to the first of `overloads` that takes them, by the rows' signatures: positional, keyword
/// (PyTorch's aliases `input`, `axis`, `keepdims` too), one trailing list of ints as varargs (`x.view(2, 3)`), one int for a
/// list. `self`, when bound, stands for the first parameter. Throws TypeError in PyTorch's words for the overload that
/// came furthest; NeedStatic where a run-time number stands for an attribute.
BoundCall bind_call(Interpreter& in, std::string_view name, std::span<const Op> overloads, PyValue self, const Args& args);

/// A list, tuple, torch.Size or single int as sizes; 0-d integer tensors and run-time ints must be known. `what` names it.
Sizes to_sizes(Interpreter& in, PyValue v, std::string_view what);
/// Sizes given as varargs or as one sequence: `torch.zeros(2, 3)`, `torch.zeros((2, 3))`.
Sizes sizes_from(Interpreter& in, const Values& values, std::string_view what);

/// A Python value as an attribute (None, bool, int, float, str, dtype, list of ints).
AttrValue to_attribute(Interpreter& in, PyValue v, std::string_view what);

/// Results of a row as Python gives them: one value, or a `torch.return_types.NAME` when the signature names them, or a
/// tuple (a list for `T[]` with views as PyTorch gives tuples).
PyValue pack_results(Interpreter& in, Op op, std::string_view name, Values results);

}  // namespace sifr::capture
