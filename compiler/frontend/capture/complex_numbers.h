#pragma once

#include "compiler/frontend/capture/interpreter.h"

/// Python's complex numbers, whose parts may be known or not.
namespace sifr::capture {

/// A number or a complex number as a complex one; unbound for anything else.
PyValue to_complex(Interpreter& in, PyValue v);
/// Not implemented where Python has no such operator.
PyValue complex_binary(Interpreter& in, syntax::BinaryOp op, PyValue a, PyValue b);
PyValue complex_unary(Interpreter& in, syntax::UnaryOperator op, PyValue a);
PyValue complex_equal(Interpreter& in, PyValue a, PyValue b);
PyValue complex_repr(Interpreter& in, PyValue v);
/// `format(v, spec)` for a spec that is not empty.
PyValue complex_format(Interpreter& in, PyValue v, const std::string& spec);
PyValue complex_abs(Interpreter& in, PyValue v);

}  // namespace sifr::capture
