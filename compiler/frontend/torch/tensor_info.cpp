// What a tensor says about itself: sizes, strides, dtype, device, and its elements as numbers.

#include <algorithm>

#include "compiler/frontend/torch/devices.h"
#include "compiler/frontend/torch/modes.h"
#include "compiler/frontend/torch/run_time_sizes.h"
#include "compiler/frontend/torch/state.h"
#include "compiler/frontend/torch/tensor_class.h"

namespace sifr::capture {
namespace {

PyValue size_value(Interpreter& in, PyValue tensor) { return in.tuple_of(torch_classes(in).size, shape_of(in, tensor)); }

size_t dim_argument(Interpreter& in, PyValue tensor, PyValue dim) { return static_cast<size_t>(normalize_dim(in.need_int(dim, "dim"), type_of(in, tensor).rank())); }

PyValue size(Interpreter& in, Args& args) {
    ArgReader a(in, args, "size(self, dim=None)");
    PyValue self = a["self"];
    if (!a.has("dim") || a["dim"].is_none()) return size_value(in, self);
    if (type_of(in, self).rank() == 0) raise("IndexError", "Dimension specified as {} but tensor has no dimensions", in.need_int(a["dim"], "dim"));
    return shape_of(in, self).at(dim_argument(in, self, a["dim"]));
}

PyValue stride(Interpreter& in, Args& args) {
    ArgReader a(in, args, "stride(self, dim=None)");
    const Strides strides = layout_of(in, a["self"]).strides;
    if (a.has("dim") && !a["dim"].is_none()) return PyValue::integer(strides.at(dim_argument(in, a["self"], a["dim"])));
    Values out;
    for (int64_t s : strides) out.push_back(PyValue::integer(s));
    return in.tuple(std::move(out));
}

PyValue numel(Interpreter& in, Args& args) {
    PyValue n = PyValue::integer(1);
    for (PyValue s : shape_of(in, args[0])) n = in.binary(syntax::BinaryOp::Mult, n, s);
    return n;
}

PyValue rank(Interpreter& in, Args& args) { return PyValue::integer(type_of(in, args[0]).rank()); }

PyValue storage_offset(Interpreter& in, Args& args) {
    const View& view = view_of(in, args[0]);
    PyValue offset = PyValue::integer(view.layout.offset);
    for (size_t k = 0; k < view.indices.size(); ++k) {
        PyValue term = in.binary(syntax::BinaryOp::Mult, in.from_ir(view.indices[k]), PyValue::integer(view.layout.index_scales[k]));
        offset = in.binary(syntax::BinaryOp::Add, offset, term);
    }
    return offset;
}

/// An address that tells storages and offsets apart; nothing else can be done with it.
PyValue data_ptr(Interpreter& in, Args& args) {
    const View& view = view_of(in, args[0]);
    if (type_of(in, args[0]).numel() == 0) return PyValue::integer(0);
    int64_t bytes = size_of(type_of(in, args[0]).dtype);
    PyValue base = PyValue::integer((int64_t{view.storage.index} + 1) << 40);
    PyValue offset = in.binary(syntax::BinaryOp::Mult, storage_offset(in, args), PyValue::integer(bytes));
    return in.binary(syntax::BinaryOp::Add, base, offset);
}

/// The numbers of a vector as a list whose length is known when the program runs.
PyValue list_of_run_time_length(Interpreter& in, PyValue tensor) {
    const Type type = type_of(in, tensor);
    if (type.rank() != 1) throw NotSupported("tolist() of a tensor of several axes whose size is known only at run time", "flatten it");
    if (is_complex(type.dtype)) throw NotSupported("tolist() of a complex tensor");
    Type element;
    element.kind = is_float(type.dtype) ? Type::Kind::F64 : type.dtype == DType::Bool ? Type::Kind::Bool : Type::Kind::I64;
    InstId made = in.builder().emit_typed("tensor_to_list"_op, {tensor_of(tensor)->value}, {}, {Type::list(element)});
    RunTimeListObject* list = in.heap().make<RunTimeListObject>();
    list->list = in.function()[made].results[0];
    list->element = element;
    return list;
}

/// Nested lists of run-time numbers; the lengths are known.
PyValue to_list(Interpreter& in, PyValue tensor) {
    const Type type = type_of(in, tensor);
    if (!type.run_time_sizes.empty()) return list_of_run_time_length(in, tensor);
    if (type.rank() == 0) return item_of(in, tensor);
    Values out;
    for (int64_t i = 0; i < type.sizes[0]; ++i) out.push_back(to_list(in, emit_one(in, "select"_op, {tensor}, attrs({{"dim", int64_t{0}}, {"index", i}}))));
    return in.list(std::move(out));
}

PyValue is_contiguous(Interpreter& in, Args& args) {
    ArgReader a(in, args, "is_contiguous(self, memory_format=None)");
    return PyValue::boolean(layout_of(in, a["self"]).is_contiguous());
}

PyValue type_method(Interpreter& in, PyValue tensor) {
    std::string name(tensor_type_name(type_of(in, tensor).dtype));
    if (tensor_of(tensor)->cuda) name.insert(std::string("torch.").size(), "cuda.");
    return in.str(name);
}

}  // namespace

PyValue tensor_type_text(Interpreter& in, PyValue tensor) { return type_method(in, tensor); }

void bind_tensor_info(Interpreter& in, const ClassObject* tensor) {
    auto property = [&](const char* name, PyValue (*get)(Interpreter&, PyValue)) {
        in.add_property(tensor, name, [get](Interpreter& i, Args& a) { return get(i, a[0]); });
    };
    property("shape", size_value);
    property("ndim", [](Interpreter& i, PyValue t) { return PyValue::integer(type_of(i, t).rank()); });
    property("dtype", [](Interpreter& i, PyValue t) { return PyValue::dtype(type_of(i, t).dtype); });
    property("device", [](Interpreter&, PyValue t) { return device_of(tensor_of(t)); });
    property("is_cuda", [](Interpreter&, PyValue t) { return PyValue::boolean(tensor_of(t)->cuda); });
    property("is_cpu", [](Interpreter&, PyValue t) { return PyValue::boolean(!tensor_of(t)->cuda); });
    for (const char* name : {"is_sparse", "is_quantized", "is_meta", "is_mkldnn", "is_mps", "is_nested", "is_xpu"})
        property(name, [](Interpreter&, PyValue) { return PyValue::boolean(false); });
    property("itemsize", [](Interpreter& i, PyValue t) { return PyValue::integer(size_of(type_of(i, t).dtype)); });
    property("nbytes", [](Interpreter& i, PyValue t) {
        return i.binary(syntax::BinaryOp::Mult, element_count_of(i, t), PyValue::integer(size_of(type_of(i, t).dtype)));
    });
    property("names", [](Interpreter& i, PyValue t) { return i.tuple(Values(type_of(i, t).sizes.size(), PyValue::none())); });
    property("layout", [](Interpreter& i, PyValue) { return i.get_attr(PyValue(i.import("torch")), "strided"); });
    in.add_method(tensor, "size", size);
    in.add_method(tensor, "stride", stride);
    for (const char* name : {"numel", "nelement"}) in.add_method(tensor, name, numel);
    for (const char* name : {"dim", "ndimension"}) in.add_method(tensor, name, rank);
    in.add_method(tensor, "storage_offset", storage_offset);
    in.add_method(tensor, "data_ptr", data_ptr);
    in.add_method(tensor, "is_contiguous", is_contiguous);
    in.add_method(tensor, "element_size", [](Interpreter& i, Args& a) { return PyValue::integer(size_of(type_of(i, a[0]).dtype)); });
    in.add_method(tensor, "is_floating_point", [](Interpreter& i, Args& a) { return PyValue::boolean(is_float(type_of(i, a[0]).dtype)); });
    in.add_method(tensor, "is_complex", [](Interpreter& i, Args& a) { return PyValue::boolean(is_complex(type_of(i, a[0]).dtype)); });
    in.add_method(tensor, "is_signed", [](Interpreter& i, Args& a) { return PyValue::boolean(is_signed(type_of(i, a[0]).dtype)); });
    in.add_method(tensor, "is_same_size", [](Interpreter& i, Args& a) { return PyValue::boolean(static_sizes(i, a[0], "is_same_size()") == static_sizes(i, a[1], "is_same_size()")); });
    in.add_method(tensor, "is_set_to", [](Interpreter& i, Args& a) {
        const View &x = view_of(i, a[0]), &y = view_of(i, a[1]);
        return PyValue::boolean(x.storage == y.storage && x.layout == y.layout && x.indices == y.indices);
    });
    in.add_method(tensor, "get_device", [](Interpreter&, Args& a) { return PyValue::integer(tensor_of(a[0])->cuda ? std::max(tensor_of(a[0])->device_index, 0) : -1); });
    in.add_method(tensor, "is_pinned", [](Interpreter&, Args&) { return PyValue::boolean(false); });
    in.add_method(tensor, "pin_memory", [](Interpreter& i, Args& a) {
        if (!i.options().cuda) raise("RuntimeError", no_cuda_driver);
        return a[0];
    });
    in.add_method(tensor, "item", [](Interpreter& i, Args& a) { return item_of(i, a[0]); });
    in.add_method(tensor, "tolist", [](Interpreter& i, Args& a) {
        GradMode off(i, false);
        return to_list(i, a[0]);
    });
    in.add_method(tensor, "numpy", [](Interpreter& i, Args& a) -> PyValue {
        if (requires_grad(i, a[0])) raise("RuntimeError", "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
        throw NotSupported("Tensor.numpy()", "use tolist(), or keep the tensor");
    });
    in.add_method(tensor, "__len__", [](Interpreter& i, Args& a) { return i.protocol_of(a[0])->len(i, a[0]); });
}

}  // namespace sifr::capture
