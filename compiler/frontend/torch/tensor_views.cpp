// Views and reshapes that no row says: which of a view or a copy they are shows in the strides.

#include <algorithm>

#include "compiler/frontend/torch/bind.h"
#include "compiler/frontend/torch/conversions.h"
#include "compiler/frontend/torch/rows.h"
#include "compiler/frontend/torch/run_time_sizes.h"
#include "compiler/frontend/torch/storage_ops.h"
#include "compiler/frontend/torch/tensor_class.h"

namespace sifr::capture {
namespace {

bool any_dynamic(Interpreter& in, const Values& sizes) {
    for (PyValue v : sizes) {
        if (v.is(Kind::Tuple) || v.is(Kind::List)) {
            if (any_dynamic(in, in.iterate(v))) return true;
        } else if (v.is_dynamic() || v.is(Kind::Tensor)) return true;
    }
    return false;
}

Values rest(const Args& args, size_t from = 1) { return {args.positional.begin() + static_cast<ptrdiff_t>(from), args.positional.end()}; }

/// `view(2, 3)`, `view(size=(2, 3))`, `view(torch.int32)`.
PyValue view(Interpreter& in, Args& args) {
    PyValue dtype = args.keyword("dtype");
    if (args.size() == 2 && args[1].is(Kind::DType)) dtype = args[1];
    if (dtype.is(Kind::DType)) {
        if (dtype.as_dtype() == type_of(in, args[0]).dtype) return emit_one(in, "alias"_op, {args[0]});
        // A copy of the bytes, which stands for the same memory as long as nobody writes there.
        PyValue seen = emit_one(in, "view_dtype"_op, {args[0]}, attrs({{"dtype", dtype.as_dtype()}}));
        in.share_storage(view_of(in, args[0]).storage);
        in.share_storage(view_of(in, seen).storage);
        return seen;
    }
    Values sizes = rest(args);
    if (PyValue size = args.keyword("size"); !size.is_unbound()) sizes.push_back(size);
    if (sizes.empty()) raise("TypeError", "view() received an invalid combination of arguments - got (), but expected one of:\n * (torch.dtype dtype)\n * (tuple of ints size)\n");
    if (has_run_time_size(in, args[0])) return reshape_run_time(in, args[0], sizes, false);
    return emit_one(in, "view"_op, {args[0]}, attrs({{"size", sizes_from(in, sizes, "a size")}}));
}

PyValue reshape_method(Interpreter& in, Args& args) {
    Values sizes = rest(args);
    for (const char* name : {"shape", "size"})
        if (PyValue size = args.keyword(name); !size.is_unbound()) sizes.push_back(size);
    if (sizes.empty()) raise("TypeError", "reshape() missing 1 required positional arguments: \"shape\"");
    if (has_run_time_size(in, args[0])) return reshape_run_time(in, args[0], sizes, true);
    return reshape(in, args[0], sizes_from(in, sizes, "a size"));
}

PyValue flatten(Interpreter& in, Args& args) {
    ArgReader a(in, args, "flatten(input, start_dim=0, end_dim=-1)");
    PyValue self = a["input"];
    const Sizes sizes = type_of(in, self).sizes;
    auto rank = static_cast<int64_t>(sizes.size());
    int64_t start = normalize_dim(a.has("start_dim") ? in.need_int(a["start_dim"], "start_dim") : 0, rank), end = normalize_dim(a.has("end_dim") ? in.need_int(a["end_dim"], "end_dim") : -1, rank);
    if (start > end) raise("RuntimeError", "flatten() has invalid args: start_dim cannot come after end_dim");
    if (rank == 0) return reshape(in, self, {1});
    if (start == end) return self;
    if (has_run_time_size(in, self)) {
        Values shape = shape_of(in, self);
        Values joined(shape.begin(), shape.begin() + start);
        bool run = std::any_of(shape.begin() + start, shape.begin() + end + 1, [](PyValue s) { return s.is_dynamic(); });
        int64_t known = 1;
        for (int64_t d = start; d <= end && !run; ++d) known *= sizes[static_cast<size_t>(d)];
        joined.push_back(PyValue::integer(run ? -1 : known));
        joined.insert(joined.end(), shape.begin() + end + 1, shape.end());
        return reshape_run_time(in, self, joined, true);
    }
    Sizes out(sizes.begin(), sizes.begin() + start);
    int64_t product = 1;
    for (int64_t d = start; d <= end; ++d) product *= sizes[static_cast<size_t>(d)];
    out.push_back(product);
    out.insert(out.end(), sizes.begin() + end + 1, sizes.end());
    return reshape(in, self, out);
}

PyValue ravel(Interpreter& in, Args& args) { return has_run_time_size(in, args[0]) ? reshape_run_time(in, args[0], {PyValue::integer(-1)}, true) : reshape(in, contiguous(in, args[0]), {-1}); }

PyValue expand(Interpreter& in, Args& args) {
    Values sizes = rest(args);
    if (PyValue size = args.keyword("size"); !size.is_unbound()) sizes.push_back(size);
    if (has_run_time_size(in, args[0]) || any_dynamic(in, sizes)) return expand_run_time(in, args[0], sizes);
    return emit_one(in, "expand"_op, {args[0]}, attrs({{"size", sizes_from(in, sizes, "a size")}}));
}

/// `.T`: all axes reversed; `.mT`: the last two swapped.
PyValue all_reversed(Interpreter& in, Args& args) {
    int64_t rank = type_of(in, args[0]).rank();
    if (rank == 2) return emit_one(in, "t"_op, {args[0]});
    if (rank != 0)
        in.script_warning("UserWarning", fmt::format("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an error in a future release. Consider `x.mT` to transpose "
                                                     "batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor. (Triggered internally at "
                                                     "/__w/pytorch/pytorch/aten/src/ATen/native/TensorShape.cpp:4575.)"));
    std::vector<int64_t> dims;
    for (int64_t d = rank - 1; d >= 0; --d) dims.push_back(d);
    return emit_one(in, "permute"_op, {args[0]}, attrs({{"dims", dims}}));
}

PyValue last_two_swapped(Interpreter& in, PyValue self, const char* name) {
    if (type_of(in, self).rank() < 2) raise("RuntimeError", "tensor.{} is only supported on matrices or batches of matrices. Got {}-D tensor.", name, type_of(in, self).rank());
    return emit_one(in, "transpose"_op, {self}, attrs({{"dim0", int64_t{-2}}, {"dim1", int64_t{-1}}}));
}

PyValue transposed(Interpreter& in, PyValue self) {
    if (type_of(in, self).rank() != 2 && type_of(in, self).rank() != 0)
        raise("RuntimeError", "tensor.H is only supported on matrices (2-D tensors). Got {}-D tensor.{}", type_of(in, self).rank(), type_of(in, self).rank() > 2 ? " For batches of matrices, consider using tensor.mH" : "");
    return type_of(in, self).rank() == 0 ? self : last_two_swapped(in, self, "H");
}

/// In-place forms of views: the row, and the node that PyTorch prints for them.
struct InPlaceView {
    const char* name;
    const char* row;
    const char* node;
    const char* dim_node;  ///< with an argument; null: the same
};
constexpr InPlaceView in_place_views[] = {
    {"t_", "t", "TBackward1", nullptr},
    {"transpose_", "transpose", "TransposeBackward1", nullptr},
    {"swapaxes_", "swapaxes", "TransposeBackward1", nullptr},
    {"swapdims_", "swapaxes", "TransposeBackward1", nullptr},
    {"unsqueeze_", "unsqueeze", "UnsqueezeBackward1", nullptr},
    {"squeeze_", "squeeze", "SqueezeBackward3", "SqueezeBackward4"},
    {"as_strided_", "as_strided", "AsStridedBackward1", nullptr},
};

}  // namespace

void bind_tensor_views(Interpreter& in, const ClassObject* tensor) {
    in.add_method(tensor, "view", view);
    in.add_method(tensor, "reshape", reshape_method);
    in.add_method(tensor, "flatten", flatten);
    in.add_method(tensor, "ravel", ravel);
    in.add_method(tensor, "expand", expand);
    in.add_method(tensor, "view_as", [](Interpreter& i, Args& a) {
        if (has_run_time_size(i, a[0]) || has_run_time_size(i, a[1])) return reshape_run_time(i, a[0], shape_of(i, a[1]), false);
        return emit_one(i, "view"_op, {a[0]}, attrs({{"size", type_of(i, a[1]).sizes}}));
    });
    in.add_method(tensor, "reshape_as", [](Interpreter& i, Args& a) {
        if (has_run_time_size(i, a[0]) || has_run_time_size(i, a[1])) return reshape_run_time(i, a[0], shape_of(i, a[1]), true);
        return reshape(i, a[0], type_of(i, a[1]).sizes);
    });
    in.add_method(tensor, "expand_as", [](Interpreter& i, Args& a) {
        if (has_run_time_size(i, a[0]) || has_run_time_size(i, a[1])) return expand_run_time(i, a[0], shape_of(i, a[1]));
        return emit_one(i, "expand"_op, {a[0]}, attrs({{"size", type_of(i, a[1]).sizes}}));
    });
    in.add_method(tensor, "contiguous", [](Interpreter& i, Args& a) { return contiguous(i, a[0]); });
    in.add_property(tensor, "T", all_reversed);
    in.add_property(tensor, "mT", [](Interpreter& i, Args& a) { return last_two_swapped(i, a[0], "mT"); });
    in.add_property(tensor, "mH", [](Interpreter& i, Args& a) {
        return last_two_swapped(i, a[0], "mH");
    });
    in.add_property(tensor, "H", [](Interpreter& i, Args& a) { return transposed(i, a[0]); });
    in.add_property(tensor, "real", [](Interpreter&, Args& a) { return a[0]; });
    in.add_property(tensor, "imag", [](Interpreter&, Args&) -> PyValue { raise("TypeError", "imag is not implemented for tensors with non-complex dtypes."); });
    for (const InPlaceView& v : in_place_views)
        in.add_method(tensor, v.name, [v](Interpreter& i, Args& args) {
            PyValue self = args[0];
            Args own = args;
            own.positional.erase(own.positional.begin());
            BoundCall call = bind_call(i, v.name, overloads(v.row), self, own);
            bool with_dim = own.size() > 0 || !own.keywords.empty();
            return rebind_to_view(i, self, call.op, call.operands, call.attributes, with_dim && v.dim_node ? v.dim_node : v.node);
        });
}

}  // namespace sifr::capture
