// torch.dtype, torch.device, torch.Size, torch.finfo and torch.iinfo, torch.FloatTensor and its like.

#include <cfloat>
#include <cmath>
#include <limits>

#include "compiler/frontend/torch/bind.h"
#include "compiler/frontend/torch/binding.h"
#include "compiler/frontend/torch/conversions.h"
#include "compiler/frontend/torch/creation.h"
#include "compiler/frontend/torch/devices.h"
#include "compiler/frontend/torch/state.h"
#include "compiler/frontend/torch/storage_ops.h"

namespace sifr::capture {
namespace {

using syntax::CompareOp;

class DTypeProtocol : public Protocol {
public:
    PyValue repr(Interpreter& in, PyValue self) override { return in.str(std::string(torch_name(self.as_dtype()))); }
    PyValue compare(Interpreter&, CompareOp op, PyValue a, PyValue b) override {
        if (op != CompareOp::Eq && op != CompareOp::NotEq) return PyValue::not_implemented();
        return PyValue::boolean((a.is(Kind::DType) && b.is(Kind::DType) && a.as_dtype() == b.as_dtype()) == (op == CompareOp::Eq));
    }
    std::string hash(Interpreter&, PyValue self) override { return std::string(torch_name(self.as_dtype())); }
};

class DeviceProtocol : public Protocol {
public:
    PyValue repr(Interpreter& in, PyValue self) override {
        std::string type = self.device_is_cuda() ? "cuda" : "cpu";
        if (self.device_index() < 0) return in.str(fmt::format("device(type='{}')", type));
        return in.str(fmt::format("device(type='{}', index={})", type, self.device_index()));
    }
    PyValue str(Interpreter& in, PyValue self) override { return in.str(device_text(self)); }
    PyValue compare(Interpreter&, CompareOp op, PyValue a, PyValue b) override {
        if (op != CompareOp::Eq && op != CompareOp::NotEq) return PyValue::not_implemented();
        return PyValue::boolean((a.is(Kind::Device) && b.is(Kind::Device) && a.same(b)) == (op == CompareOp::Eq));
    }
    std::string hash(Interpreter&, PyValue self) override { return device_text(self); }
    /// `with torch.device("cuda"):` makes it the default.
    PyValue enter(Interpreter& in, PyValue self) override {
        change_torch_state(in).device_stack.push_back(torch_state(in).default_device);
        change_torch_state(in).default_device = self;
        return self;
    }
    bool exit(Interpreter& in, PyValue, PyValue) override {
        TorchState& state = change_torch_state(in);
        state.default_device = state.device_stack.back();
        state.device_stack.pop_back();
        return false;
    }
};

class SizeProtocol : public Protocol {
public:
    PyValue repr(Interpreter& in, PyValue self) override {
        Values texts{in.str("torch.Size([")};
        const Values items = self.as<TupleObject>()->items;
        for (size_t k = 0; k < items.size(); ++k) {
            if (k) texts.push_back(in.str(", "));
            texts.push_back(in.repr_of(items[k]));
        }
        texts.push_back(in.str("])"));
        return in.concat(texts);
    }
};

DTypeProtocol dtype_protocol;
DeviceProtocol device_protocol;
SizeProtocol size_protocol;
Protocol plain_protocol;

void bind_dtypes(Interpreter& in, const ModuleObject* torch) {
    ClassObject* cls = in.add_class("dtype", "torch", nullptr, &dtype_protocol);
    torch_classes(in).dtype = cls;
    in.set_kind_class(Kind::DType, cls);
    in.set_global(torch, "dtype", PyValue(cls));
    auto property = [&](const char* name, PyValue (*get)(DType)) {
        in.add_property(cls, name, [get](Interpreter&, Args& a) { return get(a[0].as_dtype()); });
    };
    property("is_floating_point", [](DType t) { return PyValue::boolean(is_float(t)); });
    property("is_complex", [](DType t) { return PyValue::boolean(is_complex(t)); });
    property("is_signed", [](DType t) { return PyValue::boolean(is_signed(t)); });
    property("itemsize", [](DType t) { return PyValue::integer(size_of(t)); });
    for (const char* name : {"float32", "float", "float64", "double", "float16", "half", "bfloat16", "int8", "int16", "short", "int32", "int", "int64", "long", "uint8", "bool", "complex64", "cfloat", "complex128", "cdouble"}) {
        std::optional<DType> t = dtype_torch_named(name);
        SIFR_CHECK(t, "no dtype '{}'", name);
        in.set_global(torch, name, PyValue::dtype(*t));
    }
}

void bind_device(Interpreter& in, const ModuleObject* torch) {
    ClassObject* cls = in.add_class("device", "torch", nullptr, &device_protocol);
    torch_classes(in).device = cls;
    in.set_kind_class(Kind::Device, cls);
    cls->construct = constructor([](Interpreter& i, Args& args) {
        ArgReader a(i, args, "device(type, index=None)");
        PyValue d = parse_device(i, a["type"]);
        if (!a.has("index") || a["index"].is_none()) return d;
        if (d.device_index() >= 0) raise("RuntimeError", "type (string) must not include an index because index was passed explicitly: {}", device_text(d));
        return PyValue::device(d.device_is_cuda(), static_cast<int>(i.need_int(a["index"], "index")));
    });
    in.add_property(cls, "type", [](Interpreter& i, Args& a) { return i.str(a[0].device_is_cuda() ? "cuda" : "cpu"); });
    in.add_property(cls, "index", [](Interpreter&, Args& a) { return a[0].device_index() < 0 ? PyValue::none() : PyValue::integer(a[0].device_index()); });
    in.set_global(torch, "device", PyValue(cls));
}

void bind_size(Interpreter& in, const ModuleObject* torch) {
    ClassObject* cls = in.add_class("Size", "torch", in.builtin_class("tuple"), &size_protocol);
    torch_classes(in).size = cls;
    cls->construct = constructor([cls](Interpreter& i, Args& args) {
        Values items = args.size() ? i.iterate(args[0]) : Values{};
        for (size_t k = 0; k < items.size(); ++k)
            if (!items[k].is(Kind::Int) && !items[k].is_dynamic(Type::Kind::I64)) raise("TypeError", "torch.Size() takes an iterable of 'int' (item {} is '{}')", k, i.type_name(items[k]));
        return i.tuple_of(cls, std::move(items));
    });
    in.add_method(cls, "numel", [](Interpreter& i, Args& a) {
        PyValue n = PyValue::integer(1);
        for (PyValue v : a[0].as<TupleObject>()->items) n = i.binary(syntax::BinaryOp::Mult, n, v);
        return n;
    });
    in.set_global(torch, "Size", PyValue(cls));
}

// ------------------------------------------------------------------------------------------- limits

struct LimitsObject : NativeObjectOf<LimitsObject> {
    using NativeObjectOf::NativeObjectOf;
    DType dtype = DType::F32;
};

struct FloatLimits {
    int bits;
    double eps, max, tiny, smallest, resolution;
};

FloatLimits float_limits(DType t) {
    switch (t) {
        case DType::F16: return {16, 0.0009765625, 65504, 6.103515625e-05, 6.103515625e-05, 0.001};
        case DType::BF16: return {16, 0.0078125, 3.3895313892515355e+38, 1.1754943508222875e-38, 1.1754943508222875e-38, 0.01};
        case DType::F32: return {32, FLT_EPSILON, FLT_MAX, FLT_MIN, FLT_MIN, 1e-06};
        default: return {64, DBL_EPSILON, DBL_MAX, DBL_MIN, DBL_MIN, 1e-15};
    }
}

std::pair<int64_t, int64_t> integer_limits(DType t) {
    switch (t) {
        case DType::U8: return {0, 255};
        case DType::I8: return {-128, 127};
        case DType::I16: return {INT16_MIN, INT16_MAX};
        case DType::I32: return {INT32_MIN, INT32_MAX};
        default: return {INT64_MIN, INT64_MAX};
    }
}

DType limits_dtype(PyValue v) { return static_cast<const LimitsObject*>(v.object())->dtype; }
std::string short_name(DType t) { return std::string(torch_name(t)).substr(6); }

class LimitsProtocol : public Protocol {
public:
    PyValue repr(Interpreter& in, PyValue self) override {
        DType t = limits_dtype(self);
        if (is_integral(t)) {
            auto [low, high] = integer_limits(t);
            return in.str(fmt::format("iinfo(min={}, max={}, dtype={})", low, high, short_name(t)));
        }
        FloatLimits l = float_limits(t);
        return in.str(fmt::format("finfo(resolution={:g}, min={:g}, max={:g}, eps={:g}, smallest_normal={:g}, tiny={:g}, dtype={})", l.resolution, -l.max, l.max, l.eps, l.smallest, l.tiny, short_name(t)));
    }
};
LimitsProtocol limits_protocol;

void bind_limits(Interpreter& in, const ModuleObject* torch) {
    for (bool integers : {false, true}) {
        ClassObject* cls = in.add_class(integers ? "iinfo" : "finfo", "torch", nullptr, &limits_protocol);
        cls->construct = constructor([cls, integers](Interpreter& i, Args& args) -> PyValue {
            ArgReader a(i, args, integers ? "iinfo(type)" : "finfo(type=None)");
            DType t = a.has("type") ? to_dtype(i, a["type"], integers ? "iinfo" : "finfo") : default_dtype(i);
            if (integers && !is_integral(t)) raise("TypeError", "torch.iinfo() requires an integer input type. Use torch.finfo to handle '{}'", short_name(t));
            if (!integers && !is_float(t) && !is_complex(t)) raise("TypeError", "torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{}'", short_name(t));
            auto* made = i.heap().make<LimitsObject>(cls);
            // Limits of complex numbers are those of their parts.
            made->dtype = t == DType::C64 ? DType::F32 : t == DType::C128 ? DType::F64 : t;
            return PyValue(made);
        });
        auto property = [&](const char* name, PyValue (*get)(Interpreter&, DType)) {
            in.add_property(cls, name, [get](Interpreter& i, Args& a) { return get(i, limits_dtype(a[0])); });
        };
        property("dtype", [](Interpreter& i, DType t) { return i.str(short_name(t)); });
        property("bits", [](Interpreter&, DType t) { return PyValue::integer(size_of(t) * 8); });
        if (integers) {
            property("min", [](Interpreter&, DType t) { return PyValue::integer(integer_limits(t).first); });
            property("max", [](Interpreter&, DType t) { return PyValue::integer(integer_limits(t).second); });
        } else {
            property("min", [](Interpreter&, DType t) { return PyValue::real(-float_limits(t).max); });
            property("max", [](Interpreter&, DType t) { return PyValue::real(float_limits(t).max); });
            property("eps", [](Interpreter&, DType t) { return PyValue::real(float_limits(t).eps); });
            property("tiny", [](Interpreter&, DType t) { return PyValue::real(float_limits(t).tiny); });
            property("smallest_normal", [](Interpreter&, DType t) { return PyValue::real(float_limits(t).smallest); });
            property("resolution", [](Interpreter&, DType t) { return PyValue::real(float_limits(t).resolution); });
        }
        in.set_global(torch, integers ? "iinfo" : "finfo", PyValue(cls));
    }
}

// ------------------------------------------------------------------------------- torch.FloatTensor(…)

/// Sizes give undefined elements, data gives a tensor, a tensor another name of itself.
PyValue legacy_tensor(Interpreter& in, const Args& args, DType t) {
    auto empty = [&](const Sizes& sizes) { return emit_one(in, "empty"_op, {}, attrs({{"sizes", sizes}, {"dtype", t}})); };
    if (args.size() == 0) return empty({0});
    PyValue first = args[0];
    if (args.size() == 1) {
        if (first.is(Kind::Tensor)) {
            if (type_of(in, first).dtype != t) raise("TypeError", "expected {} (got {})", tensor_type_name(t), tensor_type_name(type_of(in, first).dtype));
            return detach(in, first);
        }
        if (first.is(Kind::Tuple) && in.class_of(first) == torch_classes(in).size) return empty(to_sizes(in, first, "a size"));
        if (first.is(Kind::List) || first.is(Kind::Tuple) || first.is(Kind::RunTimeList) || first.is(Kind::Range)) return tensor_from(in, first, PyValue::dtype(t));
        if (first.is(Kind::Float)) raise("TypeError", "new(): data must be a sequence (got float)");
    }
    return empty(sizes_from(in, args.positional, "a size"));
}

void bind_legacy_classes(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor) {
    in.heap().change(tensor).construct = constructor([](Interpreter& i, Args& args) { return legacy_tensor(i, args, default_dtype(i)); });
    in.set_global(torch, "Tensor", PyValue(tensor));
    for (int k = 0; k < dtype_count; ++k) {
        DType t = static_cast<DType>(k);
        if (is_complex(t)) continue;
        std::string name = std::string(tensor_type_name(t)).substr(6);
        ClassObject* cls = in.add_class(name, "torch", nullptr, &plain_protocol);
        cls->construct = constructor([t](Interpreter& i, Args& args) { return legacy_tensor(i, args, t); });
        in.set_global(torch, name, PyValue(cls));
    }
}

// ------------------------------------------------------------------------------- named constants

struct ConstantObject : NativeObjectOf<ConstantObject> {
    using NativeObjectOf::NativeObjectOf;
    std::string text;
};
class ConstantProtocol : public Protocol {
public:
    PyValue repr(Interpreter& in, PyValue self) override { return in.str(static_cast<const ConstantObject*>(self.object())->text); }
};
ConstantProtocol constant_protocol;

void bind_constants(Interpreter& in, const ModuleObject* torch) {
    struct Group {
        const char* cls;
        std::vector<const char*> names;
    };
    const Group groups[] = {
        {"layout", {"strided", "sparse_coo", "sparse_csr"}},
        {"memory_format", {"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"}},
    };
    for (const Group& g : groups) {
        const ClassObject* cls = in.add_class(g.cls, "torch", nullptr, &constant_protocol);
        in.set_global(torch, g.cls, PyValue(cls));
        for (const char* name : g.names) {
            auto* made = in.heap().make<ConstantObject>(cls);
            made->text = std::string("torch.") + name;
            in.set_global(torch, name, PyValue(made));
        }
    }
    in.set_global(torch, "pi", PyValue::real(M_PI));
    in.set_global(torch, "e", PyValue::real(M_E));
    in.set_global(torch, "inf", PyValue::real(std::numeric_limits<double>::infinity()));
    in.set_global(torch, "nan", PyValue::real(std::numeric_limits<double>::quiet_NaN()));
    in.set_global(torch, "newaxis", PyValue::none());
}

}  // namespace

void bind_cuda_classes(Interpreter& in, const ModuleObject* cuda) {
    for (int k = 0; k < dtype_count; ++k) {
        DType t = static_cast<DType>(k);
        if (is_complex(t)) continue;
        std::string name = std::string(tensor_type_name(t)).substr(6);
        ClassObject* cls = in.add_class(name, "torch.cuda", nullptr, &plain_protocol);
        cls->construct = constructor([t](Interpreter& i, Args& args) {
            if (args.size() == 1 && args[0].is(Kind::Tensor) && !tensor_of(args[0])->cuda) throw NotSupported("a tensor on the GPU made of one on the CPU by its class", "use x.cuda()");
            warn_once(i, "UserWarning", "The torch.cuda.*DtypeTensor constructors are no longer recommended. It's best to use methods such as torch.tensor(data, dtype=*, device='cuda') to create tensors.");
            PyValue made = legacy_tensor(i, args, t);
            place_on_device(i, made, PyValue::device(true, -1), nullptr);
            return made;
        });
        in.set_global(cuda, name, PyValue(cls));
    }
}

void bind_types(Interpreter& in, const ModuleObject* torch, const ClassObject* tensor) {
    bind_dtypes(in, torch);
    bind_device(in, torch);
    bind_size(in, torch);
    bind_limits(in, torch);
    bind_legacy_classes(in, torch, tensor);
    bind_constants(in, torch);
}

}  // namespace sifr::capture
