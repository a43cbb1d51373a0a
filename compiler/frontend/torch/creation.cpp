#include "compiler/frontend/torch/creation.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/frontend/torch/bind.h"
#include "compiler/frontend/torch/conversions.h"
#include "compiler/frontend/torch/devices.h"
#include "compiler/frontend/torch/factory.h"
#include "compiler/frontend/torch/indexing.h"
#include "compiler/frontend/torch/state.h"
#include "compiler/frontend/torch/run_time_sizes.h"
#include "compiler/frontend/torch/storage_ops.h"

namespace sifr::capture {
namespace {

// ---------------------------------------------------------------------------------------------- nested data

bool is_sequence(PyValue v) { return v.is(Kind::List) || v.is(Kind::Tuple) || v.is(Kind::Range); }

Values items_of(Interpreter& in, PyValue v) {
    if (v.is(Kind::List)) return v.as<ListObject>()->items;
    if (v.is(Kind::Tuple)) return v.as<TupleObject>()->items;
    return in.iterate(v);
}

/// The sizes of nested data, by its first elements; the leaves in order. Ragged data is PyTorch's ValueError.
void flatten(Interpreter& in, PyValue v, size_t depth, Sizes& sizes, Values& leaves) {
    if (!is_sequence(v)) {
        if (depth != sizes.size()) {
            if (v.is(Kind::Tensor) && type_of(in, v).rank() > 0) throw NotSupported("a list of tensors with axes in torch.tensor", "use torch.stack");
            raise("TypeError", "not a sequence");
        }
        leaves.push_back(v);
        return;
    }
    Values items = items_of(in, v);
    if (depth == sizes.size()) {
        if (!leaves.empty() || depth > 64) raise("ValueError", "too many dimensions '{}'", in.type_name(v));
        sizes.push_back(static_cast<int64_t>(items.size()));
    } else if (sizes[depth] != static_cast<int64_t>(items.size())) {
        raise("ValueError", "expected sequence of length {} at dim {} (got {})", sizes[depth], depth, items.size());
    }
    for (PyValue i : items) {
        if (!is_sequence(i) && depth + 1 < sizes.size()) raise("ValueError", "expected sequence of length {} at dim {} (got 0)", sizes[depth + 1], depth + 1);
        flatten(in, i, depth + 1, sizes, leaves);
    }
}

/// The category that a leaf asks for, as a dtype: Bool, I64, the default float, C64, or a 0-d tensor's own.
DType leaf_dtype(Interpreter& in, PyValue v) {
    if (v.is(Kind::Tensor)) return type_of(in, v).dtype;
    if (v.is(Kind::Bool) || v.is_dynamic(Type::Kind::Bool)) return DType::Bool;
    if (v.is(Kind::Int) || v.is(Kind::BigInt) || v.is_dynamic(Type::Kind::I64)) return DType::I64;
    if (v.is(Kind::Float) || v.is_dynamic(Type::Kind::F64)) return default_dtype(in);
    if (v.is_str()) raise("TypeError", "new(): invalid data type 'str'");
    if (v.is_none()) raise("RuntimeError", "Could not infer dtype of NoneType");
    raise("RuntimeError", "Could not infer dtype of {}", in.type_name(v));
}

uint16_t half_bits(double v) {
    _Float16 h = static_cast<_Float16>(static_cast<float>(v));
    uint16_t bits;
    std::memcpy(&bits, &h, 2);
    return bits;
}

uint16_t bfloat_bits(double v) {
    float f = static_cast<float>(v);
    uint32_t bits;
    std::memcpy(&bits, &f, 4);
    if (std::isnan(f)) return 0x7FC0;
    bits += 0x7FFF + ((bits >> 16) & 1);
    return static_cast<uint16_t>(bits >> 16);
}

template <class T>
void append(std::vector<std::byte>& out, T v) {
    const auto* p = reinterpret_cast<const std::byte*>(&v);
    out.insert(out.end(), p, p + sizeof v);
}

/// Who converts a number: the two say an overflow in different words.
enum class Converter : uint8_t { Literal, Fill };

[[noreturn]] void overflow(DType t, Converter by) {
    const char* name = nullptr;
    switch (t) {
        case DType::U8: name = "uint8_t"; break;
        case DType::I8: name = "int8_t"; break;
        case DType::I16: name = "int16_t"; break;
        case DType::I32: name = "int"; break;
        case DType::I64: name = "int64_t"; break;
        case DType::F16: name = "c10::Half"; break;
        case DType::BF16: name = "c10::BFloat16"; break;
        case DType::F32: name = "float"; break;
        default: name = "double"; break;
    }
    std::string text = by == Converter::Fill ? std::string(name) : std::string(torch_name(t)).substr(6);
    raise("RuntimeError", "value cannot be converted to type {} without overflow", text);
}

/// One literal element. Python numbers that do not fit are refused, floats are truncated for integer dtypes.
void append_element(std::vector<std::byte>& out, DType t, PyValue v, Converter by) {
    bool wide = v.is(Kind::BigInt);
    if (wide && is_integral(t)) {
        if (by == Converter::Fill) overflow(t, by);
        raise("ValueError", "Overflow when unpacking long long");
    }
    bool real = v.is(Kind::Float) || wide;
    double d = wide ? v.as<BigIntObject>()->value.to_double().value_or(std::numeric_limits<double>::infinity()) : real ? v.as_float() : static_cast<double>(v.as_int());
    if (t == DType::Bool) return append(out, static_cast<uint8_t>(real ? d != 0 : v.as_int() != 0));
    if (is_integral(t)) {
        if (real && (!std::isfinite(d) || std::abs(d) >= 9223372036854775808.0)) overflow(t, by);
        int64_t i = real ? static_cast<int64_t>(d) : v.as_int();
        auto range = [&](int64_t lo, int64_t hi) {
            if (i < lo || i > hi) overflow(t, by);
        };
        switch (t) {
            case DType::U8: range(-255, 255); return append(out, static_cast<uint8_t>(i));
            case DType::I8: range(-128, 127); return append(out, static_cast<int8_t>(i));
            case DType::I16: range(INT16_MIN, INT16_MAX); return append(out, static_cast<int16_t>(i));
            case DType::I32: range(INT32_MIN, INT32_MAX); return append(out, static_cast<int32_t>(i));
            default: return append(out, i);
        }
    }
    const double most = t == DType::F16 ? 65504.0 : t == DType::BF16 ? 3.3895313892515355e38 : t == DType::F32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    if (by == Converter::Fill && std::isfinite(d) && std::abs(d) > most) overflow(t, by);
    switch (t) {
        case DType::F16: return append(out, half_bits(d));
        case DType::BF16: return append(out, bfloat_bits(d));
        case DType::F32: return append(out, static_cast<float>(d));
        default: return append(out, d);
    }
}

}  // namespace

// ---------------------------------------------------------------------------------------------- factories

FactoryOptions take_options(Interpreter& in, Args& args) {
    FactoryOptions o;
    std::vector<std::pair<Symbol, PyValue>> rest;
    for (auto& [name, value] : args.keywords) {
        if (*name == "dtype") o.dtype = value.is(Kind::Class) ? PyValue::dtype(to_dtype(in, value, "factory")) : value;
        else if (*name == "device") o.device = value;
        else if (*name == "requires_grad") o.requires_grad = value;
        else if (*name == "out") o.out = value;
        else if (*name == "generator") o.generator = value;
        else if (*name == "layout" || *name == "pin_memory" || *name == "memory_format") continue;
        else rest.emplace_back(name, value);
    }
    args.keywords = std::move(rest);
    return o;
}

DType dtype_or(Interpreter& in, PyValue v, DType otherwise, const char* function) {
    if (!given(v)) return otherwise;
    if (!v.is(Kind::DType)) raise("TypeError", "{}(): argument 'dtype' must be torch.dtype, not {}", function, in.type_name(v));
    return v.as_dtype();
}

PyValue finish(Interpreter& in, PyValue tensor, const FactoryOptions& o, const TensorObject* like) {
    if (given(o.out)) {
        if (!o.out.is(Kind::Tensor)) raise("TypeError", "argument 'out' must be Tensor, not {}", in.type_name(o.out));
        resize_for_out(in, o.out, static_sizes(in, tensor, "out="));
        return copy_into(in, o.out, tensor);
    }
    place_on_device(in, tensor, o.device, like);
    if (given(o.requires_grad) && in.need_bool(o.requires_grad, "requires_grad")) {
        DType t = type_of(in, tensor).dtype;
        if (!is_float(t) && !is_complex(t)) raise("RuntimeError", "Only Tensors of floating point and complex dtype can require gradients");
        set_requires_grad(in, tensor, true);
    }
    return tensor;
}

void check_sizes(const char* name, const Sizes& sizes) {
    for (int64_t s : sizes)
        if (s < 0) {
            if (std::string_view(name) == "zeros") raise("RuntimeError", "zeros: Dimension size must be non-negative.");
            raise("RuntimeError", "Trying to create tensor with negative dimension {}: [{}]", s, fmt::join(sizes, ", "));
        }
}

PyValue make_like(Interpreter& in, PyValue self, const std::function<PyValue(const Sizes&)>& make) {
    const Layout layout = layout_of(in, self);
    const Type type = type_of(in, self);
    if (!type.run_time_sizes.empty()) return with_sizes(in, make(type.sizes), shape_of(in, self));
    if (layout.is_contiguous() || !layout.is_dense() || layout.numel() == 0) return make(type.sizes);
    // Made in the order of memory, then seen in the order of axes.
    std::vector<int64_t> order(layout.sizes.size()), back(order.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return layout.strides[static_cast<size_t>(a)] > layout.strides[static_cast<size_t>(b)]; });
    Sizes frame;
    for (size_t i = 0; i < order.size(); ++i) {
        frame.push_back(layout.sizes[static_cast<size_t>(order[i])]);
        back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    }
    return emit_one(in, "permute"_op, {make(frame)}, attrs({{"dims", back}}));
}

namespace {

/// zeros, ones, empty: a fill of sizes given as varargs, one sequence, or `size=`.
PyValue sized_factory(Interpreter& in, Args& args, const char* name, PyValue value) {
    FactoryOptions o = take_options(in, args);
    Values positional = args.positional;
    if (PyValue size = args.keyword("size"); !size.is_unbound()) positional.push_back(size);
    for (auto& [keyword, unused] : args.keywords)
        if (*keyword != "size") raise("TypeError", "{}() got an unexpected keyword argument '{}'", name, *keyword);
    if (positional.empty()) raise("TypeError", "{}() missing 1 required positional arguments: \"size\"", name);
    RunSizes run = run_sizes_from(in, positional, "a size");
    const Sizes& sizes = run.bounds;
    check_sizes(name, sizes);
    DType t = dtype_or(in, o.dtype, default_dtype(in), name);
    if (!run.is_static() && given(o.out)) throw NotSupported("out= for a size that is known only at run time");
    if (given(o.out)) {
        DType have = type_of(in, o.out).dtype;
        if (given(o.dtype) && have != t) raise("RuntimeError", "dtype {} does not match dtype of out parameter ({})", scalar_name(t), scalar_name(have));
        resize_for_out(in, o.out, sizes);
        return value.is_unbound() ? o.out : fill_with(in, o.out, value);
    }
    PyValue made = value.is_unbound() ? emit_one(in, "empty"_op, {}, attrs({{"sizes", sizes}, {"dtype", t}})) : full_tensor(in, t, sizes, value);
    return finish(in, with_sizes(in, made, run.values), o);
}

/// zeros_like and its kin.
PyValue like_factory(Interpreter& in, PyValue self, Args& args, PyValue value) {
    FactoryOptions o = take_options(in, args);
    if (!self.is(Kind::Tensor)) raise("TypeError", "zeros_like(): argument 'input' (position 1) must be Tensor, not {}", in.type_name(self));
    DType t = dtype_or(in, o.dtype, type_of(in, self).dtype, "zeros_like");
    PyValue made = make_like(in, self, [&](const Sizes& sizes) {
        return value.is_unbound() ? emit_one(in, "empty"_op, {}, attrs({{"sizes", sizes}, {"dtype", t}})) : full_tensor(in, t, sizes, value);
    });
    return finish(in, made, o, tensor_of(self));
}

DType number_dtype(Interpreter& in, PyValue v) {
    if (v.is(Kind::Tensor)) return type_of(in, v).dtype;
    return leaf_dtype(in, v);
}

PyValue full(Interpreter& in, Args& args) {
    FactoryOptions o = take_options(in, args);
    ArgReader a(in, args, "full(size, fill_value)");
    if (!is_sequence(a["size"])) raise("TypeError", "full(): argument 'size' (position 1) must be tuple of ints, not {}", in.type_name(a["size"]));
    RunSizes run = run_sizes_from(in, {a["size"]}, "a size");
    check_sizes("full", run.bounds);
    PyValue value = a["fill_value"];
    DType t = dtype_or(in, o.dtype, number_dtype(in, value), "full");
    check_number_fits(t, value);
    return finish(in, with_sizes(in, full_tensor(in, t, run.bounds, value), run.values), o);
}

/// From a start by a step that are known or not: how many elements there are is an int at run time.
PyValue arange_run_time(Interpreter& in, PyValue start, PyValue end, PyValue step, const Attrs& attributes) {
    using syntax::BinaryOp;
    for (PyValue v : {start, end, step}) {
        if (!v.is(Kind::Int) && !v.is_dynamic(Type::Kind::I64)) in.need_static(v, "a bound of arange that is no int");
        if (v.is_dynamic() && in.in_unrollable_loop() && (in.index_range(v.as_value()) || !in.function().producer(v.as_value()))) in.need_static(v, "a bound of arange");
    }
    int64_t by = in.need_int(step, "the step of arange");
    if (by == 0) raise("RuntimeError", "step must be nonzero");
    // ceil((end - start) / step)
    PyValue length = in.binary(BinaryOp::Sub, end, start);
    if (by != 1) length = in.unary(syntax::UnaryOperator::Minus, in.binary(BinaryOp::FloorDiv, length, PyValue::integer(-by)));
    in.check(in.compare(syntax::CompareOp::GtE, length, PyValue::integer(0)), "RuntimeError", "upper bound and lower bound inconsistent with step sign");
    RunSizes run = run_sizes_from(in, {length}, "the length of arange");
    Attrs of_places = attributes;
    if (!of_places.has("dtype")) of_places.set("dtype", DType::I64);
    PyValue places = emit_one(in, "arange"_op, {PyValue::integer(0), PyValue::integer(run.bounds[0] * by), PyValue::integer(by)}, of_places);
    if (!start.is(Kind::Int) || start.as_int() != 0) places = emit_one(in, "add"_op, {places, start});
    return with_sizes(in, places, run.values);
}

PyValue arange(Interpreter& in, Args& args) {
    FactoryOptions o = take_options(in, args);
    PyValue start = PyValue::integer(0), end, step = PyValue::integer(1);
    if (args.size() == 1 && args.keyword("end").is_unbound()) {
        ArgReader a(in, args, "arange(end, *, step=1)");
        end = a["end"];
        if (a.has("step")) step = a["step"];
    } else {
        ArgReader a(in, args, "arange(start=0, end=None, step=1)");
        if (a.has("start")) start = a["start"];
        end = a["end"];
        if (a.has("step")) step = a["step"];
    }
    for (PyValue* v : {&start, &end, &step})
        if (v->is(Kind::Tensor)) *v = item_of(in, *v);
    Attrs attributes;
    if (given(o.dtype)) attributes.set("dtype", dtype_or(in, o.dtype, DType::F32, "arange"));
    if (start.is_dynamic() || end.is_dynamic() || step.is_dynamic()) return finish(in, arange_run_time(in, start, end, step, attributes), o);
    return finish(in, emit_one(in, "arange"_op, {start, end, step}, attributes), o);
}

PyValue linspace(Interpreter& in, Args& args) {
    FactoryOptions o = take_options(in, args);
    ArgReader a(in, args, "linspace(start, end, steps)");
    Attrs attributes = attrs({{"steps", in.need_int(a["steps"], "steps")}, {"dtype", dtype_or(in, o.dtype, default_dtype(in), "linspace")}});
    return finish(in, emit_one(in, "linspace"_op, {a["start"], a["end"]}, attributes), o);
}

PyValue eye(Interpreter& in, Args& args) {
    FactoryOptions o = take_options(in, args);
    ArgReader a(in, args, "eye(n, m=None)");
    Attrs attributes = attrs({{"n", in.need_int(a["n"], "n")}, {"dtype", dtype_or(in, o.dtype, default_dtype(in), "eye")}});
    if (a.has("m") && given(a["m"])) attributes.set("m", in.need_int(a["m"], "m"));
    return finish(in, emit_one(in, "eye"_op, {}, attributes), o);
}

/// A new tensor from another one: `torch.tensor(t)`, with PyTorch's advice.
PyValue tensor_of_tensor(Interpreter& in, PyValue data, DType dtype, bool advise) {
    if (advise)
        in.script_warning("UserWarning", "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).");
    PyValue source = detach(in, data);
    return emit_one(in, "cast"_op, {clone(in, source)}, attrs({{"dtype", dtype}}));
}

PyValue tensor(Interpreter& in, Args& args) {
    FactoryOptions o = take_options(in, args);
    ArgReader a(in, args, "tensor(data)");
    PyValue data = a["data"];
    if (data.is(Kind::Tensor)) return finish(in, tensor_of_tensor(in, data, dtype_or(in, o.dtype, type_of(in, data).dtype, "tensor"), true), o, tensor_of(data));
    return finish(in, tensor_from(in, data, given(o.dtype) ? o.dtype : PyValue::none()), o);
}

}  // namespace

namespace {

/// A run-time list as a tensor of its length.
PyValue tensor_of_list(Interpreter& in, const RunTimeListObject* list, PyValue dtype) {
    DType t = given(dtype) ? dtype.as_dtype() : list->element.kind == Type::Kind::F64 ? default_dtype(in) : dtype_of_number(list->element.kind);
    RunSizes run = run_sizes_from(in, {in.run_time_list_length(list)}, "the length of a list");
    Type out = Type::tensor(t, run.bounds);
    out.run_time_sizes = {{0, ValueId()}};
    return emit_of_types(in, "list_to_tensor"_op, {PyValue::dynamic(list->list, Type::Kind::List)}, attrs({{"dtype", t}}), {Type::i64(), out}).at(1);
}

}  // namespace

PyValue tensor_from(Interpreter& in, PyValue data, PyValue dtype) {
    if (data.is(Kind::RunTimeList)) {
        const auto* list = data.as<RunTimeListObject>();
        if (list->static_length < 0) return tensor_of_list(in, list, dtype);
        DType t = given(dtype) ? dtype.as_dtype() : list->element.kind == Type::Kind::F64 ? default_dtype(in) : dtype_of_number(list->element.kind);
        return emit_of_types(in, "list_to_tensor"_op, {PyValue::dynamic(list->list, Type::Kind::List)}, attrs({{"dtype", t}}), {Type::tensor(t, {list->static_length})}).at(0);
    }
    Sizes sizes;
    Values leaves;
    flatten(in, data, 0, sizes, leaves);
    if (!sizes.empty() && !leaves.empty() && leaves[0].is_str()) raise("ValueError", "too many dimensions 'str'");
    // An empty list ends the sizes where it stands.
    bool dynamic = false;
    DType inferred = leaves.empty() ? default_dtype(in) : leaf_dtype(in, leaves[0]);
    for (PyValue v : leaves) {
        DType t = leaf_dtype(in, v);
        inferred = promote(inferred, t);
        dynamic |= v.is(Kind::Tensor) || v.is_dynamic();
    }
    DType t = given(dtype) ? dtype.as_dtype() : inferred;
    if (!dynamic) {
        std::vector<std::byte> bytes;
        for (PyValue v : leaves) append_element(bytes, t, v, Converter::Literal);
        return literal_tensor(in, t, sizes, std::move(bytes));
    }
    Operands operands;
    for (PyValue v : leaves) operands.push_back(v.is(Kind::Tensor) ? item_of(in, v) : v);
    return emit_one(in, "from_scalars"_op, operands, attrs({{"sizes", sizes}, {"dtype", t}}));
}

void check_number_fits(DType dtype, PyValue number) {
    if (!number.is_static_number() || is_complex(dtype)) return;
    std::vector<std::byte> unused;
    append_element(unused, dtype, number, Converter::Fill);
}

PyValue fill_with(Interpreter& in, PyValue tensor, PyValue number, bool zero) {
    WriteOptions options;
    options.check_overlap = false;
    options.check_cast = false;
    if (number.is(Kind::Tensor) && type_of(in, number).rank() != 0)
        raise("RuntimeError", "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.", type_of(in, number).rank());
    DType t = type_of(in, tensor).dtype;
    check_number_fits(t, number);
    return emit_write(in, tensor, "full"_op, {number}, attrs({{"fill", !zero}}), options);
}

PyValue copy_into(Interpreter& in, PyValue tensor, PyValue source) {
    WriteOptions options;
    options.check_cast = false;
    options.check_shape = false;
    const Sizes target = type_of(in, tensor).sizes;
    const Sizes sizes = type_of(in, source).sizes;
    const bool run_time = has_run_time_size(in, tensor) || has_run_time_size(in, source);
    if (Sizes both = run_time ? target : broadcast(target, sizes); both != target) raise("RuntimeError", "output with shape [{}] doesn't match the broadcast shape [{}]", fmt::join(target, ", "), fmt::join(both, ", "));
    return emit_write(in, tensor, "copy"_op, {source}, {}, options);
}

void bind_creation(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor_class) {
    struct Sized { const char* name; PyValue value; };
    const Sized sized[] = {{"zeros", PyValue::integer(0)}, {"ones", PyValue::integer(1)}, {"empty", PyValue()}};
    for (const Sized& s : sized) {
        in.add_function(torch, s.name, [s](Interpreter& i, Args& a) { return sized_factory(i, a, s.name, s.value); });
        in.add_function(torch, std::string(s.name) + "_like", [s](Interpreter& i, Args& a) {
            PyValue self = a.size() ? a[0] : a.keyword("input");
            return like_factory(i, self, a, s.value);
        });
        in.add_method(tensor_class, std::string("new_") + s.name, [s](Interpreter& i, Args& a) {
            PyValue self = a[0];
            a.positional.erase(a.positional.begin());
            bool own = a.keyword("dtype").is_unbound() || a.keyword("dtype").is_none();
            if (own) {
                std::erase_if(a.keywords, [](const auto& k) { return *k.first == "dtype"; });
                a.keywords.emplace_back(symbol("dtype"), PyValue::dtype(type_of(i, self).dtype));
            }
            PyValue made = sized_factory(i, a, s.name, s.value);
            i.heap().change(tensor_of(made)).cuda = tensor_of(self)->cuda;
            return made;
        });
    }
    in.add_function(torch, "full", full);
    in.add_function(torch, "full_like", [](Interpreter& i, Args& a) {
        PyValue value = a.size() > 1 ? a[1] : a.keyword("fill_value");
        PyValue self = a.size() ? a[0] : a.keyword("input");
        return like_factory(i, self, a, value);
    });
    in.add_method(tensor_class, "new_full", [](Interpreter& i, Args& a) {
        PyValue self = a[0];
        a.positional.erase(a.positional.begin());
        if (a.keyword("dtype").is_unbound()) a.keywords.emplace_back(symbol("dtype"), PyValue::dtype(type_of(i, self).dtype));
        return full(i, a);
    });
    in.add_method(tensor_class, "new_tensor", [](Interpreter& i, Args& a) {
        PyValue self = a[0];
        a.positional.erase(a.positional.begin());
        if (a.keyword("dtype").is_unbound()) a.keywords.emplace_back(symbol("dtype"), PyValue::dtype(type_of(i, self).dtype));
        return tensor(i, a);
    });
    in.add_function(torch, "arange", arange);
    in.add_function(torch, "linspace", linspace);
    in.add_function(torch, "eye", eye);
    in.add_function(torch, "tensor", tensor);
    in.add_function(torch, "as_tensor", [](Interpreter& i, Args& a) {
        if (a.size() && a[0].is(Kind::Tensor) && a.keywords.empty()) return a[0];
        return tensor(i, a);
    });
}

}  // namespace sifr::capture
