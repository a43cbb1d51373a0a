// Functions whose result is as large as the numbers in a tensor say: bincount, one_hot, repeat_interleave by a tensor.

#include <algorithm>

#include "compiler/frontend/torch/binding.h"
#include "compiler/frontend/torch/rows.h"
#include "compiler/frontend/torch/run_time_sizes.h"
#include "compiler/frontend/torch/storage_ops.h"

namespace sifr::capture {

using syntax::BinaryOp;
using syntax::CompareOp;

namespace {

PyValue places(Interpreter& in, int64_t n) {
    return emit_one(in, "arange"_op, {PyValue::integer(0), PyValue::integer(n), PyValue::integer(1)}, attrs({{"dtype", DType::I64}}));
}

/// The largest of the elements, and of `least`.
PyValue largest(Interpreter& in, PyValue t, int64_t least) {
    if (has_run_time_size(in, t)) {  // perhaps none
        PyValue low = full_tensor(in, type_of(in, t).dtype, {1}, PyValue::integer(least));
        t = call_rows(in, "cat", {in.list({reshape(in, t, {-1}), low})});
    } else if (type_of(in, t).numel() == 0) {
        return PyValue::integer(least);
    }
    PyValue most = item_of(in, call_rows(in, "amax", {t}));
    return in.emit_scalar("imax"_op, {in.to_ir(most, Type::Kind::I64), in.to_ir(PyValue::integer(least))});
}

void check_smallest(Interpreter& in, PyValue t, const char* text) {
    if (type_of(in, t).numel() == 0) return;
    in.check(item_of(in, call_rows(in, "all", {call_rows(in, "ge", {t, PyValue::integer(0)})})), "RuntimeError", text);
}

PyValue bincount(Interpreter& in, Args& args) {
    ArgReader a(in, args, "bincount(input, weights=None, minlength=0)");
    PyValue x = a["input"], weights = a.has("weights") ? a["weights"] : PyValue::none();
    int64_t least = a.has("minlength") ? in.need_int(a["minlength"], "minlength") : 0;
    const Type type = type_of(in, x);
    if (!is_integral(type.dtype)) raise("NotImplementedError", "\"bincount_cpu\" not implemented for '{}'", scalar_name(type.dtype));
    if (least < 0) raise("RuntimeError", "minlength should be >= 0");
    if (type.rank() != 1) raise("RuntimeError", "bincount only supports 1-d non-negative integral inputs.");
    if (!weights.is_none() && (type_of(in, weights).rank() != 1 || (type_of(in, weights).sizes != type.sizes && !has_run_time_size(in, x) && !has_run_time_size(in, weights))))
        raise("RuntimeError", "weights should be 1-d and have the same length as input");
    check_smallest(in, x, "bincount only supports 1-d non-negative integral inputs.");
    PyValue index = type.dtype == DType::I64 ? x : emit_one(in, "cast"_op, {x}, attrs({{"dtype", DType::I64}}));
    RunSizes bins = run_sizes_from(in, {in.binary(BinaryOp::Add, largest(in, index, least - 1), PyValue::integer(1))}, "the number of bins");
    DType t = weights.is_none() ? DType::I64 : type_of(in, weights).dtype == DType::F32 ? DType::F32 : DType::F64;
    PyValue source = weights.is_none() ? with_sizes(in, full_tensor(in, t, type.sizes, PyValue::integer(1)), shape_of(in, index)) : type_of(in, weights).dtype == t ? weights : emit_one(in, "cast"_op, {weights}, attrs({{"dtype", t}}));
    PyValue counts = full_tensor(in, t, bins.bounds, PyValue::integer(0));
    if (type.numel() > 0) counts = emit_one(in, "index_add"_op, {counts, index, source}, attrs({{"dim", int64_t{0}}}));
    return with_sizes(in, counts, bins.values);
}

PyValue one_hot(Interpreter& in, Args& args) {
    ArgReader a(in, args, "one_hot(tensor, num_classes=-1)");
    PyValue x = a["tensor"];
    PyValue classes = a.has("num_classes") ? a["num_classes"] : PyValue::integer(-1);
    if (!classes.is_dynamic() && in.need_int(classes, "num_classes") != -1)
        return emit_one(in, row_named("one_hot"), {x}, attrs({{"num_classes", in.need_int(classes, "num_classes")}}));
    const Type type = type_of(in, x);
    if (type.dtype != DType::I64) raise("RuntimeError", "one_hot is only applicable to index tensor of type LongTensor.");
    if (type.numel() == 0) raise("RuntimeError", "Can not infer total number of classes from empty tensor.");
    check_smallest(in, x, "Class values must be non-negative.");
    RunSizes width = run_sizes_from(in, {classes.is_dynamic() ? classes : in.binary(BinaryOp::Add, largest(in, x, 0), PyValue::integer(1))}, "num_classes");
    if (classes.is_dynamic()) in.check(in.compare(CompareOp::Lt, largest(in, x, 0), classes), "RuntimeError", "Class values must be smaller than num_classes.");
    PyValue column = emit_one(in, "unsqueeze"_op, {x}, attrs({{"dim", int64_t{-1}}}));
    PyValue hit = call_rows(in, "eq", {column, places(in, width.bounds[0])});
    Values sizes = shape_of(in, hit);
    sizes.back() = width.values[0];
    PyValue out = emit_one(in, "cast"_op, {hit}, attrs({{"dtype", DType::I64}}));
    return with_sizes(in, whole_bound(in, out), sizes);
}

/// Each place of `repeats`, as often as it says there.
PyValue repeated_places(Interpreter& in, PyValue repeats) {
    const Type type = type_of(in, repeats);
    if (type.dtype != DType::I64 && type.dtype != DType::I32) raise("RuntimeError", "repeats has to be Long or Int tensor");
    if (type.rank() != 1) raise("RuntimeError", "repeat_interleave only accept 1D vector as repeat");
    if (has_run_time_size(in, repeats)) throw NotSupported("repeat_interleave by a tensor whose size is known only at run time");
    check_smallest(in, repeats, "repeats can not be negative");
    RunSizes total = run_sizes_from(in, {item_of(in, call_rows(in, "sum", {repeats}))}, "the number of repeats");
    PyValue ends = call_rows(in, "cumsum", {repeats, PyValue::integer(0)});
    PyValue at = emit_one(in, "searchsorted"_op, {ends, places(in, total.bounds[0])}, attrs({{"right", true}}));
    return with_sizes(in, call_rows(in, "clamp", {at, PyValue::integer(0), PyValue::integer(std::max<int64_t>(type.numel() - 1, 0))}), total.values);
}

PyValue repeat_interleave(Interpreter& in, Args& args) {
    if (args.size() == 1 && args.keyword("repeats").is_unbound() && args[0].is(Kind::Tensor)) return repeated_places(in, args[0]);
    ArgReader a(in, args, "repeat_interleave(input, repeats, dim=None, *, output_size=None)");
    PyValue x = a["input"], repeats = a["repeats"], dim = a.has("dim") ? a["dim"] : PyValue::none();
    if (!repeats.is(Kind::Tensor)) return call_rows(in, "repeat_interleave", {x, repeats, dim});
    if (dim.is_none()) {
        x = reshape(in, x, {-1});
        dim = PyValue::integer(0);
    }
    int64_t axis = normalize_dim(in.need_int(dim, "dim"), type_of(in, x).rank()), n = static_sizes(in, x, "repeat_interleave")[static_cast<size_t>(axis)];
    int64_t given = static_sizes(in, repeats, "repeat_interleave").empty() ? 1 : type_of(in, repeats).sizes[0];
    if (given != n && given != 1) raise("RuntimeError", "repeats must have the same size as input along dim, but got repeats.size(0) = {} and input.size({}) = {}", given, axis, n);
    if (given != n || type_of(in, repeats).rank() == 0) repeats = emit_one(in, "expand"_op, {reshape(in, repeats, {1})}, attrs({{"size", Sizes{n}}}));
    return emit_one(in, "index_select"_op, {x, repeated_places(in, repeats)}, attrs({{"dim", axis}}));
}

}  // namespace

void bind_counts(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor) {
    in.add_function(torch, "bincount", bincount);
    in.add_method(tensor, "bincount", bincount);
    in.add_function(torch, "_one_hot", one_hot);
    in.add_function(torch, "repeat_interleave", repeat_interleave);
    in.add_method(tensor, "repeat_interleave", repeat_interleave);
}

}  // namespace sifr::capture
