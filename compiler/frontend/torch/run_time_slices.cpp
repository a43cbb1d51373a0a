// Slices and items where the bounds, or the axis, are known only at run time.

#include <algorithm>

#include "compiler/frontend/torch/rows.h"
#include "compiler/frontend/torch/run_time_sizes.h"

namespace sifr::capture {

using syntax::BinaryOp;
using syntax::CompareOp;

namespace {

PyValue smaller(Interpreter& in, PyValue a, PyValue b) {
    if (a.is(Kind::Int) && b.is(Kind::Int)) return PyValue::integer(std::min(a.as_int(), b.as_int()));
    return in.emit_scalar("imin"_op, {in.to_ir(a, Type::Kind::I64), in.to_ir(b, Type::Kind::I64)});
}
PyValue larger(Interpreter& in, PyValue a, PyValue b) {
    if (a.is(Kind::Int) && b.is(Kind::Int)) return PyValue::integer(std::max(a.as_int(), b.as_int()));
    return in.emit_scalar("imax"_op, {in.to_ir(a, Type::Kind::I64), in.to_ir(b, Type::Kind::I64)});
}

/// A bound of a slice as a place in 0 … size.
PyValue placed(Interpreter& in, PyValue bound, PyValue size, int64_t otherwise) {
    if (bound.is_none()) return otherwise == 0 ? PyValue::integer(0) : size;
    PyValue zero = PyValue::integer(0);
    if (bound.is(Kind::Int)) {
        if (bound.as_int() == 0) return zero;
        if (bound.as_int() > 0) return smaller(in, bound, size);
        return larger(in, in.binary(BinaryOp::Add, size, bound), zero);
    }
    PyValue negative = in.compare(CompareOp::Lt, bound, zero), shifted = in.binary(BinaryOp::Add, bound, size);
    PyValue at = in.emit_scalar("sel"_op, {in.to_ir(negative), in.to_ir(shifted), in.to_ir(bound)});
    return larger(in, smaller(in, at, size), zero);
}

/// What a bound of a slice is at most, where `axis` is what the axis has room for.
int64_t most(Interpreter& in, PyValue place, int64_t axis) {
    std::optional<int64_t> bound = upper_bound(in, place);
    return bound ? std::clamp<int64_t>(*bound, 0, axis) : axis;
}

}  // namespace

namespace {

/// A slice in numbers: where it begins, how many places it has, and how many at most.
struct Extent {
    PyValue first, length;
    int64_t bound;
};
Extent extent_of(Interpreter& in, PyValue tensor, size_t axis, PyValue start, PyValue stop, int64_t step) {
    Values sizes = shape_of(in, tensor);
    const int64_t room = type_of(in, tensor).sizes[axis];
    PyValue first = placed(in, start, sizes[axis], 0), last = placed(in, stop, sizes[axis], 1);
    // (What begins behind the end has no places, wherever that is.)
    if (start.is(Kind::Int) && start.as_int() >= 0) first = PyValue::integer(std::min(start.as_int(), room));
    PyValue length = larger(in, in.binary(BinaryOp::Sub, last, first), PyValue::integer(0));
    int64_t bound = most(in, last, room);
    if (first.is(Kind::Int)) bound = std::max<int64_t>(bound - first.as_int(), 0);
    // `x[-3:]` has at most three places.
    if (start.is(Kind::Int) && start.as_int() < 0 && stop.is_none()) bound = std::min(bound, -start.as_int());
    if (start.is_dynamic() && stop.is_dynamic()) {
        PyValue known = in.binary(BinaryOp::Sub, stop, start);
        if (known.is(Kind::Int)) bound = std::clamp<int64_t>(known.as_int(), 0, bound);
    }
    bound = (bound + step - 1) / step;
    if (step != 1) length = in.binary(BinaryOp::FloorDiv, in.binary(BinaryOp::Add, length, PyValue::integer(step - 1)), PyValue::integer(step));
    return {first, length, bound};
}

PyValue places_at_bounds(Interpreter& in, const Extent& e, int64_t room, int64_t step) {
    PyValue at = emit_one(in, "arange"_op, {PyValue::integer(0), PyValue::integer(e.bound), PyValue::integer(1)}, attrs({{"dtype", DType::I64}}));
    if (step != 1) at = call_rows(in, "mul", {at, PyValue::integer(step)});
    return call_rows(in, "clamp", {call_rows(in, "add", {at, e.first}), PyValue::integer(0), PyValue::integer(std::max<int64_t>(room - 1, 0))});
}

}  // namespace

PyValue slice_run_time(Interpreter& in, PyValue tensor, int64_t dim, PyValue start, PyValue stop, int64_t step) {
    auto axis = static_cast<size_t>(dim);
    const int64_t room = type_of(in, tensor).sizes[axis];
    Extent e = extent_of(in, tensor, axis, start, stop, step);
    Values out = shape_of(in, tensor);
    out[axis] = e.length;
    PyValue whole = whole_bound(in, tensor);
    if (e.first.is(Kind::Int)) {
        int64_t begin = std::min(e.first.as_int(), room);
        Attrs a = attrs({{"dim", dim}, {"start", begin}, {"end", std::min(room, begin + e.bound * step)}, {"step", step}});
        return with_sizes(in, emit_one(in, "slice"_op, {whole}, a), out);
    }
    // Where it begins is a run-time number: a copy, which stands for the places as long as nobody writes to either.
    PyValue read = emit_one(in, "index_select"_op, {whole, places_at_bounds(in, e, room, step)}, attrs({{"dim", dim}}));
    PyValue made = with_sizes(in, read, out);
    StorageId base = view_of(in, tensor).storage, copy = view_of(in, made).storage;
    in.note_copy(base, copy);
    if (requires_grad(in, tensor)) in.leave_copy(base);  // what is saved for backward is not followed either
    return made;
}

PyValue slice_places(Interpreter& in, PyValue tensor, int64_t dim, PyValue start, PyValue stop, int64_t step) {
    auto axis = static_cast<size_t>(dim);
    Extent e = extent_of(in, tensor, axis, start, stop, step);
    return with_sizes(in, places_at_bounds(in, e, type_of(in, tensor).sizes[axis], step), {e.length});
}

PyValue select_run_time(Interpreter& in, PyValue tensor, int64_t dim, PyValue index) {
    PyValue size = shape_of(in, tensor).at(static_cast<size_t>(dim)), zero = PyValue::integer(0);
    const std::string text = fmt::format("index {{}} is out of bounds for dimension {} with size {{}}", dim);
    in.check(in.compare(CompareOp::GtE, index, in.unary(syntax::UnaryOperator::Minus, size)), "IndexError", text, {index, size});
    in.check(in.compare(CompareOp::Lt, index, size), "IndexError", text, {index, size});
    PyValue whole = whole_bound(in, tensor);
    Values rest = shape_of(in, tensor);
    rest.erase(rest.begin() + dim);
    PyValue picked;
    if (index.is(Kind::Int) && index.as_int() >= 0) {
        if (index.as_int() >= type_of(in, whole).sizes[static_cast<size_t>(dim)]) raise("IndexError", "index {} is out of bounds for dimension {} with size {}", index.as_int(), dim, type_of(in, whole).sizes[static_cast<size_t>(dim)]);
        picked = emit_one(in, "select"_op, {whole}, attrs({{"dim", dim}, {"index", index.as_int()}}));
    } else {
        PyValue at = in.binary(BinaryOp::Add, index, size);
        if (index.is_dynamic()) at = in.emit_scalar("sel"_op, {in.to_ir(in.compare(CompareOp::Lt, index, zero)), in.to_ir(at), in.to_ir(index)});
        picked = emit_one(in, *op_named("select.at"), {whole, at}, attrs({{"dim", dim}}));
    }
    return with_sizes(in, picked, rest, "SelectBackward0");
}

}  // namespace sifr::capture
