#pragma once

#include "compiler/frontend/torch/emit.h"

/// Tensors whose sizes are known only when the program runs. In the IR an axis has a bound, which is known, and a run-time i64 beside
/// it; `whole_bound` sees all places of the bounds, `narrow.run` the first ones.
namespace sifr::capture {

[[nodiscard]] bool has_run_time_size(Interpreter& in, PyValue tensor);
/// The sizes of a tensor whose sizes must be known; NotSupported, naming `what`, for another one.
Sizes static_sizes(Interpreter& in, PyValue tensor, std::string_view what);
/// The number of elements, an int or a run-time one.
PyValue element_count_of(Interpreter& in, PyValue tensor);

/// All places of the bounds.
PyValue whole_bound(Interpreter& in, PyValue tensor);
/// The first places along the axes where `sizes` has a run-time int. `node` is the grad_fn that it shows.
PyValue with_sizes(Interpreter& in, PyValue at_bounds, const Values& sizes, const char* node = "SliceBackward0");

/// Sizes as a script gives them: bounds, and the ints themselves.
struct RunSizes {
    Sizes bounds;
    Values values;
    [[nodiscard]] bool is_static() const;
};
/// From varargs or one sequence. A size that is not known gets a bound, and a check that it keeps to it.
RunSizes run_sizes_from(Interpreter& in, const Values& values, std::string_view what);
/// The most that a run-time int can be, where that is known.
std::optional<int64_t> upper_bound(Interpreter& in, PyValue n);

/// `x.view(…)`, `x.reshape(…)` and `x.expand(…)` where x or the sizes are of run-time sizes.
PyValue reshape_run_time(Interpreter& in, PyValue tensor, const Values& sizes, bool may_copy);
PyValue expand_run_time(Interpreter& in, PyValue tensor, const Values& sizes);

/// The only element of a tensor with one element, as a tensor of known size; else the error, in whose text `{}` is the number of elements.
PyValue only_element(Interpreter& in, PyValue tensor, const char* error, const std::string& text);

/// What a row asks of sizes, checked when the program runs. Does nothing where all sizes are known.
void check_run_time_sizes(Interpreter& in, Op op, const Operands& operands, const Attrs& attributes);
/// That a value of `from`'s sizes can be written into `to`.
void check_written_sizes(Interpreter& in, PyValue from, PyValue to);
/// cat along an axis of run-time size; unbound where it is an ordinary one.
PyValue cat_run_time(Interpreter& in, const Operands& parts, int64_t dim);

/// flip of a tensor of run-time sizes.
PyValue flip_run_time(Interpreter& in, PyValue tensor, const Attrs& attributes);
/// All places of the bounds, with zeros behind the sizes.
PyValue zero_behind(Interpreter& in, PyValue tensor);

/// `x[start:stop:step]` along `dim` where the bounds or the axis are run-time ints.
PyValue slice_run_time(Interpreter& in, PyValue tensor, int64_t dim, PyValue start, PyValue stop, int64_t step);
/// The places of such a slice, a vector of run-time size.
PyValue slice_places(Interpreter& in, PyValue tensor, int64_t dim, PyValue start, PyValue stop, int64_t step);
/// An index in -size … size-1 of an axis of run-time size.
PyValue select_run_time(Interpreter& in, PyValue tensor, int64_t dim, PyValue index);

}  // namespace sifr::capture
