#pragma once

#include <compare>
#include <optional>

#include "compiler/frontend/capture/value.h"

/// Operators on static values of built-in kinds (operators.cpp) and on run-time scalars (scalars.cpp).
namespace sifr::capture {

BigInt to_big(PyValue integer);
std::optional<double> to_double(PyValue number);  ///< nothing for an int out of range
std::partial_ordering compare_numbers(PyValue a, PyValue b);
bool holds(syntax::CompareOp op, std::partial_ordering order);

/// `NotImplemented` where the kinds have no such operator.
PyValue static_binary(Interpreter& in, syntax::BinaryOp op, PyValue a, PyValue b);
PyValue static_unary(Interpreter& in, syntax::UnaryOperator op, PyValue a);

/// At least one operand is Dynamic.
PyValue scalar_binary(Interpreter& in, syntax::BinaryOp op, PyValue a, PyValue b);
PyValue scalar_unary(Interpreter& in, syntax::UnaryOperator op, PyValue a);
PyValue scalar_compare(Interpreter& in, syntax::CompareOp op, PyValue a, PyValue b);
PyValue scalar_truth(Interpreter& in, PyValue a);

/// `format % values`.
PyValue percent_format(Interpreter& in, PyValue format, PyValue values);
/// `text.format(args…)`.
PyValue str_format(Interpreter& in, const std::string& text, Args& args);

/// Resolves a slice over `length` items as Python's slice.indices.
struct SliceRange {
    int64_t start, stop, step, count;
};
SliceRange slice_range(Interpreter& in, const SliceObject& s, int64_t length);

}  // namespace sifr::capture
