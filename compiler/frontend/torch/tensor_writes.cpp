// Writes that no row says: fills, copies, random fills, new memory.

#include <algorithm>

#include "compiler/frontend/torch/bind.h"
#include "compiler/frontend/torch/creation.h"
#include "compiler/frontend/torch/modes.h"
#include "compiler/frontend/torch/rows.h"
#include "compiler/frontend/torch/storage_ops.h"
#include "compiler/frontend/torch/tensor_class.h"

namespace sifr::capture {
namespace {

PyValue copy_method(Interpreter& in, Args& args) {
    ArgReader a(in, args, "copy_(self, src, non_blocking=False)");
    PyValue source = a["src"];
    if (source.is_number()) source = full_tensor(in, type_of(in, a["self"]).dtype, {}, source);
    if (!source.is(Kind::Tensor)) raise("TypeError", "copy_(): argument 'other' (position 1) must be Tensor, not {}", in.type_name(source));
    return copy_into(in, a["self"], source);
}

/// A random fill: draws in the order of the destination's memory.
PyValue draw_into(Interpreter& in, PyValue self, Op op, const Operands& operands, PyValue generator) {
    Attrs attributes = attrs({{"generator", generator_for(in, generator, op, tensor_of(self)->cuda)}});
    const Layout& layout = layout_of(in, self);
    if (!layout.is_contiguous()) attributes.set("order", layout.strides);
    WriteOptions options;
    options.check_cast = false;
    return emit_write(in, self, op, operands, attributes, options);
}

struct Draw {
    const char* method;
    Op op;
    const char* signature;
    const char* first;
    const char* second;  ///< null: one parameter only
    double first_default, second_default;
    bool integers;  ///< allowed on integer tensors
};
const Draw draws[] = {
    {"normal_", "normal"_op, "normal_(self, mean=0, std=1, *, generator=None)", "mean", "std", 0, 1, false},
    {"uniform_", "uniform"_op, "uniform_(self, from=0, to=1, *, generator=None)", "from", "to", 0, 1, false},
    {"exponential_", "exponential"_op, "exponential_(self, lambd=1, *, generator=None)", "lambd", nullptr, 1, 0, false},
    {"geometric_", "geometric"_op, "geometric_(self, p, *, generator=None)", "p", nullptr, 0, 0, true},
    {"cauchy_", "cauchy"_op, "cauchy_(self, median=0, sigma=1, *, generator=None)", "median", "sigma", 0, 1, false},
    {"log_normal_", "log_normal"_op, "log_normal_(self, mean=1, std=2, *, generator=None)", "mean", "std", 1, 2, false},
};

PyValue draw(Interpreter& in, Args& args, const Draw& d) {
    ArgReader a(in, args, d.signature);
    auto number = [&](const char* name, double otherwise) {
        if (!a.has(name)) return PyValue::real(otherwise);
        if (!a[name].is_number()) raise("TypeError", "{}(): argument '{}' must be float, not {}", d.method, name, in.type_name(a[name]));
        return a[name];
    };
    Operands operands{number(d.first, d.first_default)};
    if (d.second) operands.push_back(number(d.second, d.second_default));
    DType t = type_of(in, a["self"]).dtype;
    if (!d.integers && !is_float(t) && !is_complex(t)) {
        if (d.op == "normal"_op) raise("NotImplementedError", "\"normal_kernel_cpu\" not implemented for '{}'", scalar_name(t));
        if (d.op == "uniform"_op) raise("NotImplementedError", "\"check_uniform_bounds\" not implemented for '{}'", scalar_name(t));
        throw NotSupported(fmt::format("{}() of a {} tensor", d.method, torch_name(t)));
    }
    auto known = [&](size_t k) { return operands[k].is_static_number() ? std::optional<double>(in.need_float(operands[k], d.first)) : std::nullopt; };
    if (d.op == "normal"_op && known(1) && *known(1) < 0) raise("RuntimeError", "normal expects std >= 0.0, but found std {}", *known(1));
    if (d.op == "uniform"_op && known(0) && known(1) && *known(0) > *known(1))
        raise("RuntimeError", "uniform_ expects to return a [from, to) range, but found from={} > to={}", *known(0), *known(1));
    if (d.op == "exponential"_op && known(0) && !(*known(0) > 0))
        raise("RuntimeError", "exponential_ expects lambda > 0.0, but found lambda={}", *known(0));
    if (d.op == "geometric"_op && known(0) && (*known(0) <= 0 || *known(0) >= 1))
        raise("RuntimeError", "geometric_ expects p to be in (0, 1), but got p={}", *known(0));
    return draw_into(in, a["self"], d.op, operands, a["generator"]);
}

PyValue random_method(Interpreter& in, Args& args) {
    ArgReader a(in, args, "random_(self, from=None, to=None, *, generator=None)");
    PyValue self = a["self"];
    PyValue low = PyValue::integer(0), high;
    if (a.has("to") && !a["to"].is_none()) low = a["from"], high = a["to"];
    else if (a.has("to") && !a["from"].is_none()) throw NotSupported("random_(from, None)", "give the upper bound");
    else if (a.has("from") && !a["from"].is_none()) high = a["from"];
    if (high.is_unbound()) return draw_into(in, self, "random"_op, {}, a["generator"]);
    if (low.is(Kind::Int) && high.is(Kind::Int) && low.as_int() >= high.as_int())
        raise("RuntimeError", "random_ expects 'from' to be less than 'to', but got from={} >= to={}", low.as_int(), high.as_int());
    return draw_into(in, self, "randint"_op, {low, high}, a["generator"]);
}

PyValue bernoulli_method(Interpreter& in, Args& args) {
    ArgReader a(in, args, "bernoulli_(self, p=0.5, *, generator=None)");
    PyValue p = a.has("p") ? a["p"] : PyValue::real(0.5);
    if (p.is(Kind::Tensor) && !is_float(type_of(in, p).dtype)) raise("NotImplementedError", "\"bernoulli_tensor_cpu_p_\" not implemented for '{}'", scalar_name(type_of(in, p).dtype));
    if (p.is(Kind::Tensor)) return draw_into(in, a["self"], "bernoulli.tensor"_op, {p}, a["generator"]);
    if (p.is_static_number() && (in.need_float(p, "p") < 0 || in.need_float(p, "p") > 1)) raise("RuntimeError", "bernoulli_ expects p to be in [0, 1], but got p={}", in.need_float(p, "p"));
    return draw_into(in, a["self"], "bernoulli"_op, {p}, a["generator"]);
}

/// `bernoulli(p)` draws a tensor like `self`; without p, self's elements are the probabilities.
PyValue bernoulli(Interpreter& in, Args& args) {
    ArgReader a(in, args, "bernoulli(input, p=None, *, generator=None)");
    if (!a.has("p") || a["p"].is_none()) {
        std::vector<std::pair<Symbol, PyValue>> keywords;
        if (a.has("generator")) keywords.emplace_back(symbol("generator"), a["generator"]);
        return call_rows(in, "bernoulli", {a["input"]}, std::move(keywords));
    }
    if (!a["p"].is_number())
        raise("TypeError", "bernoulli() received an invalid combination of arguments - got ({}), but expected one of:\n * (*, torch.Generator generator = None)\n * (float p, *, torch.Generator generator = None)\n", in.type_name(a["p"]));
    if (a["p"].is_static_number() && (in.need_float(a["p"], "p") < 0 || in.need_float(a["p"], "p") > 1)) raise("RuntimeError", "bernoulli_ expects p to be in [0, 1], but got p={}", in.need_float(a["p"], "p"));
    const Type type = type_of(in, a["input"]);
    return draw_into(in, emit_one(in, "empty"_op, {}, attrs({{"sizes", type.sizes}, {"dtype", type.dtype}})), "bernoulli"_op, {a["p"]}, a["generator"]);
}

PyValue fill_method(Interpreter& in, Args& args) {
    ArgReader a(in, args, "fill_(self, value)");
    if (!is_operand(a["value"])) raise("TypeError", "fill_() received an invalid combination of arguments - got ({}), but expected one of:\n * (Tensor value)\n * (Number value)\n", in.type_name(a["value"]));
    return fill_with(in, a["self"], a["value"]);
}

PyValue set_method(Interpreter& in, Args& args) {
    ArgReader a(in, args, "set_(self, source)");
    PyValue self = a["self"], source = a["source"];
    if (!source.is(Kind::Tensor)) throw NotSupported("set_() with a storage");
    if (type_of(in, self).dtype != type_of(in, source).dtype)
        raise("RuntimeError", "Could not set tensor of type {} to a tensor of type {}", c_name(type_of(in, source).dtype), c_name(type_of(in, self).dtype));
    take_place_of(in, self, source);
    in.autograd().bump(tensor_of(self)->variable, in.span());
    return self;
}

}  // namespace

void bind_tensor_writes(Interpreter& in, const ClassObject* tensor) {
    in.add_method(tensor, "zero_", [](Interpreter& i, Args& a) { return fill_with(i, a[0], PyValue::integer(0), true); });
    in.add_method(tensor, "fill_", fill_method);
    in.add_method(tensor, "copy_", copy_method);
    for (const Draw& d : draws) in.add_method(tensor, d.method, [&d](Interpreter& i, Args& a) { return draw(i, a, d); });
    in.add_method(tensor, "random_", random_method);
    in.add_method(tensor, "bernoulli_", bernoulli_method);
    in.add_method(tensor, "bernoulli", bernoulli);
    in.add_method(tensor, "resize_", [](Interpreter& i, Args& a) {
        Values sizes(a.positional.begin() + 1, a.positional.end());
        return resize(i, a[0], sizes_from(i, sizes, "a size"));
    });
    in.add_method(tensor, "resize_as_", [](Interpreter& i, Args& a) { return resize(i, a[0], type_of(i, a[1]).sizes); });
    in.add_method(tensor, "set_", set_method);
}

}  // namespace sifr::capture
