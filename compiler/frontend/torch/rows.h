#pragma once

#include <string>
#include <string_view>

#include "compiler/frontend/torch/bind.h"

/// Rows of the op table as Python callables: `torch.NAME(…)`, `x.NAME(…)`, `x.NAME_(…)`, and `out=`.
namespace sifr::capture {

/// The callable of a name, bound to `self` unless that is unbound. Unbound where no row has the name with that use.
PyValue row_method(Interpreter& in, std::string_view name, PyValue self);
PyValue row_function(Interpreter& in, std::string_view name);
/// Any row of a name, also one that PyTorch has no public name for: what the prelude calls as `torch._nn.NAME(…)`.
PyValue row_primitive(Interpreter& in, std::string_view name);

/// Calls the rows of a name directly: `call_rows(in, "add", {a, b})`.
PyValue call_rows(Interpreter& in, std::string_view name, Values positional, std::vector<std::pair<Symbol, PyValue>> keywords = {});
/// `self.NAME_(…)`: `name` is without the underscore.
PyValue call_rows_in_place(Interpreter& in, std::string_view name, PyValue self, const Args& args);
/// What `out=` asks for: resizes `out` if it must (with PyTorch's warning), then writes.
PyValue write_out(Interpreter& in, PyValue out, const BoundCall& call, std::string_view name);

}  // namespace sifr::capture
