// torch.rand, torch.randn, torch.randint, torch.randperm, torch.normal and their `_like` forms. The numbers are drawn when the program
// runs, from PyTorch's own streams.

#include <algorithm>

#include "compiler/frontend/torch/bind.h"
#include "compiler/frontend/torch/binding.h"
#include "compiler/frontend/torch/creation.h"
#include "compiler/frontend/torch/devices.h"
#include "compiler/frontend/torch/factory.h"
#include "compiler/frontend/torch/modes.h"
#include "compiler/frontend/torch/rows.h"
#include "compiler/frontend/torch/state.h"
#include "compiler/frontend/torch/storage_ops.h"

namespace sifr::capture {
namespace {

/// Whether what these options make is on the GPU.
bool on_gpu(Interpreter& in, const FactoryOptions& o, const TensorObject* like) {
    if (given(o.device)) return parse_device(in, o.device).device_is_cuda();
    if (like) return like->cuda;
    const PyValue standard = torch_state(in).default_device;
    return !standard.is_unbound() && standard.device_is_cuda();
}

Attrs draw_attributes(Interpreter& in, Op op, const Sizes& sizes, DType dtype, const FactoryOptions& o, const TensorObject* like = nullptr) {
    return attrs({{"sizes", sizes}, {"dtype", dtype}, {"generator", generator_for(in, o.generator, op, on_gpu(in, o, like))}});
}

Values take_sizes(Args& args, size_t from) {
    Values sizes(args.positional.begin() + static_cast<ptrdiff_t>(std::min(from, args.positional.size())), args.positional.end());
    if (PyValue size = args.keyword("size"); !size.is_unbound()) sizes.push_back(size);
    return sizes;
}

/// rand and randn.
PyValue sized_draw(Interpreter& in, Args& args, const char* name, Op op) {
    FactoryOptions o = take_options(in, args);
    Values sizes = take_sizes(args, 0);
    // A generator may stand in front, too.
    for (const auto& [keyword, unused] : args.keywords)
        if (*keyword != "size") raise("TypeError", "{}() got an unexpected keyword argument '{}'", name, *keyword);
    if (sizes.empty()) raise("TypeError", "{}() received an invalid combination of arguments - got (), but expected one of:\n * (tuple of ints size, *, torch.Generator generator, Tensor out = None, torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool pin_memory = False, bool requires_grad = False)\n * (tuple of ints size, *, Tensor out = None, torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool pin_memory = False, bool requires_grad = False)\n", name);
    Sizes s = sizes_from(in, sizes, "a size");
    check_sizes(name, s);
    DType t = dtype_or(in, o.dtype, given(o.out) ? type_of(in, o.out).dtype : default_dtype(in), name);
    if (is_integral(t, true)) raise("NotImplementedError", "\"{}\" not implemented for '{}'", op == "normal"_op ? "normal_kernel_cpu" : "check_uniform_bounds", scalar_name(t));
    return finish(in, emit_one(in, op, {PyValue::integer(0), PyValue::integer(1)}, draw_attributes(in, op, s, t, o)), o);
}

PyValue like_draw(Interpreter& in, Args& args, const char* name, Op op) {
    FactoryOptions o = take_options(in, args);
    PyValue self = args.size() ? args[0] : args.keyword("input");
    if (!self.is(Kind::Tensor)) raise("TypeError", "{}(): argument 'input' (position 1) must be Tensor, not {}", name, in.type_name(self));
    DType t = dtype_or(in, o.dtype, type_of(in, self).dtype, name);
    if (is_integral(t, true)) raise("NotImplementedError", "\"{}\" not implemented for '{}'", op == "normal"_op ? "normal_kernel_cpu" : "check_uniform_bounds", scalar_name(t));
    PyValue made = make_like(in, self, [&](const Sizes& sizes) { return emit_one(in, op, {PyValue::integer(0), PyValue::integer(1)}, draw_attributes(in, op, sizes, t, o, tensor_of(self))); });
    return finish(in, made, o, tensor_of(self));
}

PyValue integer_draw(Interpreter& in, PyValue low, PyValue high, const Sizes& sizes, DType t, const FactoryOptions& o, const TensorObject* like = nullptr) {
    for (PyValue* v : {&low, &high})
        if (v->is(Kind::Tensor)) *v = item_of(in, *v);
    if (low.is(Kind::Int) && high.is(Kind::Int) && low.as_int() >= high.as_int()) raise("RuntimeError", "random_ expects 'from' to be less than 'to', but got from={} >= to={}", low.as_int(), high.as_int());
    check_sizes("randint", sizes);
    return emit_one(in, "randint"_op, {low, high}, draw_attributes(in, "randint"_op, sizes, t, o, like));
}

PyValue randint(Interpreter& in, Args& args) {
    FactoryOptions o = take_options(in, args);
    PyValue low = PyValue::integer(0), high, size;
    auto is_size = [](PyValue v) { return v.is(Kind::Tuple) || v.is(Kind::List); };
    bool one_bound = (args.size() >= 2 && is_size(args[1])) || (args.size() == 1 && args.keyword("low").is_unbound() && args.keyword("high").is_unbound());
    if (one_bound) {
        ArgReader a(in, args, "randint(high, size)");
        high = a["high"], size = a["size"];
    } else {
        ArgReader a(in, args, "randint(low=0, high=None, size=None)");
        if (a.has("low")) low = a["low"];
        high = a["high"], size = a["size"];
    }
    if (size.is_unbound() || size.is_none()) raise("TypeError", "randint() missing required argument: \"size\"");
    return finish(in, integer_draw(in, low, high, to_sizes(in, size, "a size"), dtype_or(in, o.dtype, DType::I64, "randint"), o), o);
}

PyValue randint_like(Interpreter& in, Args& args) {
    FactoryOptions o = take_options(in, args);
    PyValue self, low = PyValue::integer(0), high;
    if (args.size() == 2 && args.keywords.empty()) {
        self = args[0], high = args[1];
    } else {
        ArgReader a(in, args, "randint_like(input, low=0, high=None)");
        self = a["input"], high = a["high"];
        if (a.has("low")) low = a["low"];
    }
    DType t = dtype_or(in, o.dtype, type_of(in, self).dtype, "randint_like");
    return finish(in, make_like(in, self, [&](const Sizes& sizes) { return integer_draw(in, low, high, sizes, t, o, tensor_of(self)); }), o, tensor_of(self));
}

PyValue randperm(Interpreter& in, Args& args) {
    FactoryOptions o = take_options(in, args);
    ArgReader a(in, args, "randperm(n)");
    int64_t n = in.need_int(a["n"], "n");
    check_sizes("randperm", {n});
    PyValue made = finish(in, emit_one(in, "randperm"_op, {}, attrs({{"n", n}, {"dtype", dtype_or(in, o.dtype, DType::I64, "randperm")}, {"generator", generator_number(in, o.generator)}})), o);
    warn_of_cuda_draw(in, made);
    return made;
}

PyValue normal(Interpreter& in, Args& args) {
    FactoryOptions o = take_options(in, args);
    ArgReader a(in, args, "normal(mean=0.0, std=1.0, size=None)");
    PyValue mean = a.has("mean") ? a["mean"] : PyValue::real(0), std = a.has("std") ? a["std"] : PyValue::real(1);
    if (std.is_static_number() && in.need_float(std, "std") < 0) raise("RuntimeError", "normal expects std >= 0.0, but found std {}", in.need_float(std, "std"));
    if (a.has("size") && !a["size"].is_none()) {
        Sizes sizes = to_sizes(in, a["size"], "a size");
        return finish(in, emit_one(in, "normal"_op, {mean, std}, draw_attributes(in, "normal"_op, sizes, dtype_or(in, o.dtype, default_dtype(in), "normal"), o)), o);
    }
    if (!mean.is(Kind::Tensor) && !std.is(Kind::Tensor)) raise("TypeError", "normal() received an invalid combination of arguments - got ({}, {}), but expected one of:\n * (Tensor mean, Tensor std, *, torch.Generator generator = None, Tensor out = None)\n * (Tensor mean, float std = 1, *, torch.Generator generator = None, Tensor out = None)\n * (float mean, Tensor std, *, torch.Generator generator = None, Tensor out = None)\n * (float mean, float std, tuple of ints size, *, torch.Generator generator = None, Tensor out = None, torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool pin_memory = False, bool requires_grad = False)\n", in.type_name(mean), in.type_name(std));
    // A number stands for a tensor of it.
    for (auto [number, other] : {std::pair{&mean, &std}, {&std, &mean}})
        if (!number->is(Kind::Tensor)) *number = full_tensor(in, type_of(in, *other).dtype, type_of(in, *other).sizes, *number);
    return finish(in, emit_one(in, "normal.tensors"_op, {mean, std}, attrs({{"generator", generator_number(in, o.generator)}})), o);
}

}  // namespace

void bind_random(Interpreter& in, const ModuleObject* torch) {
    in.add_function(torch, "rand", [](Interpreter& i, Args& a) { return sized_draw(i, a, "rand", "uniform"_op); });
    in.add_function(torch, "randn", [](Interpreter& i, Args& a) { return sized_draw(i, a, "randn", "normal"_op); });
    in.add_function(torch, "rand_like", [](Interpreter& i, Args& a) { return like_draw(i, a, "rand_like", "uniform"_op); });
    in.add_function(torch, "randn_like", [](Interpreter& i, Args& a) { return like_draw(i, a, "randn_like", "normal"_op); });
    in.add_function(torch, "randint", randint);
    in.add_function(torch, "randint_like", randint_like);
    in.add_function(torch, "randperm", randperm);
    in.add_function(torch, "normal", normal);
    in.add_function(torch, "bernoulli", [](Interpreter& i, Args& args) { return i.call(torch_classes(i).tensor->lookup(symbol("bernoulli")), args); });
}

}  // namespace sifr::capture
