// to(), type(), float(), … and devices.

#include "compiler/frontend/torch/conversions.h"

#include <algorithm>

#include "compiler/frontend/torch/devices.h"
#include "compiler/frontend/torch/storage_ops.h"
#include "compiler/frontend/torch/tensor_class.h"

namespace sifr::capture {
namespace {

struct Named {
    const char* method;
    DType dtype;
};
constexpr Named conversions[] = {
    {"float", DType::F32}, {"double", DType::F64}, {"half", DType::F16}, {"bfloat16", DType::BF16}, {"int", DType::I32},   {"long", DType::I64},
    {"short", DType::I16}, {"char", DType::I8},    {"byte", DType::U8},  {"bool", DType::Bool},
};

struct Target {
    PyValue device, dtype;
    bool copy = false;
};

/// Which of `to`'s forms it is shows in the first argument: a dtype, a device, or another tensor.
Target read_target(Interpreter& in, const Args& args) {
    Target t;
    auto take = [&](PyValue v) {
        if (v.is_none() || v.is(Kind::Bool)) return;
        if (v.is(Kind::DType)) t.dtype = v;
        else if (v.is(Kind::Tensor)) t.dtype = PyValue::dtype(type_of(in, v).dtype), t.device = device_of(tensor_of(v));
        else if (v.is(Kind::Device) || v.is(Kind::Str) || v.is(Kind::Int)) t.device = v;
        else if (in.class_of(v) == in.builtin_class("type")) t.dtype = PyValue::dtype(to_dtype(in, v, "to"));
        else raise("TypeError", "to() received an invalid combination of arguments - got ({}), but expected one of:\n * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)\n * (torch.dtype dtype, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)\n * (Tensor tensor, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)\n", in.type_name(v));
    };
    size_t flags = 0;
    for (size_t i = 1; i < args.size(); ++i) {
        if (args[i].is(Kind::Bool)) {
            if (++flags == 2) t.copy = args[i].as_bool();
        } else {
            take(args[i]);
        }
    }
    for (const auto& [name, value] : args.keywords) {
        if (*name == "dtype" || *name == "device" || *name == "other" || *name == "tensor") take(value);
        else if (*name == "copy") t.copy = in.need_bool(value, "copy");
        else if (*name != "non_blocking" && *name != "memory_format") raise("TypeError", "to() got an unexpected keyword argument '{}'", *name);
    }
    return t;
}

PyValue to(Interpreter& in, Args& args) {
    Target t = read_target(in, args);
    PyValue out = args[0];
    bool same = true;
    if (!t.device.is_unbound()) {
        PyValue moved = to_device(in, out, t.device);
        same &= moved.object() == out.object();
        out = moved;
    }
    if (!t.dtype.is_unbound() && t.dtype.as_dtype() != type_of(in, out).dtype) {
        out = convert(in, out, t.dtype.as_dtype());
        same = false;
    }
    return t.copy && same ? convert(in, out, type_of(in, out).dtype, true) : out;
}

PyValue type(Interpreter& in, Args& args) {
    ArgReader a(in, args, "type(self, dtype=None, non_blocking=False)");
    if (!a.has("dtype") || a["dtype"].is_none()) return tensor_type_text(in, a["self"]);
    // The name of a class says where, too; a dtype does not.
    std::string name;
    if (const auto* s = a["dtype"].get_if<StrObject>()) name = s->text;
    if (const auto* c = a["dtype"].get_if<ClassObject>()) name = c->module + "." + c->name;
    PyValue self = a["self"], dtype = a["dtype"];
    if (constexpr std::string_view gpu = "torch.cuda."; name.starts_with(gpu)) {
        self = to_device(in, self, PyValue::device(true, -1));
        dtype = in.str("torch." + name.substr(gpu.size()));
    } else if (name.ends_with("Tensor")) {
        self = to_device(in, self, PyValue::device(false, -1));
    }
    return convert(in, self, to_dtype(in, dtype, "type"));
}

}  // namespace

DType to_dtype(Interpreter& in, PyValue v, const char* function) {
    if (v.is(Kind::DType)) return v.as_dtype();
    if (v.is(Kind::Class)) {
        if (v.object() == in.builtin_class("float")) return DType::F64;
        if (v.object() == in.builtin_class("int")) return DType::I64;
        if (v.object() == in.builtin_class("bool")) return DType::Bool;
    }
    std::string name;
    if (const auto* s = v.get_if<StrObject>()) name = s->text;
    if (const auto* c = v.get_if<ClassObject>()) name = c->module + "." + c->name;
    for (int i = 0; i < dtype_count; ++i)
        if (!name.empty() && tensor_type_name(static_cast<DType>(i)) == name) return static_cast<DType>(i);
    if (v.is(Kind::Str)) raise("ValueError", "invalid type: '{}'", name);
    raise("TypeError", "{}(): argument 'dtype' must be torch.dtype, not {}", function, in.type_name(v));
}

PyValue convert(Interpreter& in, PyValue tensor, DType dtype, bool copy) {
    if (type_of(in, tensor).dtype == dtype && !copy) return tensor;
    return emit_one(in, "cast"_op, {tensor}, attrs({{"dtype", dtype}}));
}

void bind_conversions(Interpreter& in, const ClassObject* tensor) {
    for (const Named& c : conversions)
        in.add_method(tensor, c.method, [dtype = c.dtype](Interpreter& i, Args& a) { return convert(i, a[0], dtype); });
    in.add_method(tensor, "to", to);
    in.add_method(tensor, "type", type);
    in.add_method(tensor, "type_as", [](Interpreter& i, Args& a) { return convert(i, a[0], type_of(i, a[1]).dtype); });
    in.add_method(tensor, "cpu", [](Interpreter& i, Args& a) { return to_device(i, a[0], PyValue::device(false, -1)); });
    in.add_method(tensor, "cuda", [](Interpreter& i, Args& a) { return to_device(i, a[0], a.size() > 1 && !a[1].is_none() ? parse_device(i, a[1]) : PyValue::device(true, -1)); });
}

}  // namespace sifr::capture
