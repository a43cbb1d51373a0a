#include "compiler/frontend/torch/modes.h"

#include "compiler/frontend/torch/devices.h"
#include "compiler/frontend/torch/prelude_functions.h"
#include "compiler/frontend/torch/state.h"

namespace sifr::capture {
namespace {

struct Modes {
    bool grad, inference;
    bool operator==(const Modes&) const = default;
};
Modes current(Interpreter& in) { return {in.autograd().grad_enabled(), in.autograd().inference_mode()}; }
void set(Interpreter& in, Modes m) {
    if (m.grad != in.autograd().grad_enabled()) in.autograd().set_grad_enabled(m.grad);
    if (m.inference != in.autograd().inference_mode()) in.autograd().set_inference_mode(m.inference);
}

/// A mode as a context manager; calling it decorates a function.
struct ModeObject : NativeObjectOf<ModeObject> {
    using NativeObjectOf::NativeObjectOf;
    Modes inside{true, false};
    bool keeps_grad = false;       ///< anomaly mode and its like: changes nothing
    Modes before{true, false};
    bool at_once = false;          ///< set_grad_enabled: holds from the call on; a decorator takes that back
};

class ModeProtocol : public Protocol {
public:
    PyValue enter(Interpreter& in, PyValue self) override {
        const auto* m = static_cast<const ModeObject*>(self.object());
        Modes before = current(in);
        if (!m->at_once) in.heap().change(m).before = before;
        if (!m->keeps_grad) set(in, m->inside);
        return m->keeps_grad ? self : PyValue::none();
    }
    bool exit(Interpreter& in, PyValue self, PyValue) override {
        const auto* m = static_cast<const ModeObject*>(self.object());
        if (!m->keeps_grad) set(in, m->before);
        return false;
    }
    PyValue call(Interpreter& in, PyValue self, Args& args) override {
        const auto* m = static_cast<const ModeObject*>(self.object());
        if (m->at_once) set(in, m->before);
        if (args.size() != 1 || !in.callable(args[0])) raise("TypeError", "'{}' object is not callable", m->cls->name);
        return decorated(in, m->inside, args[0]);
    }

    static PyValue decorated(Interpreter& in, Modes inside, PyValue function) {
        PyValue name = in.find_attr(function, symbol("__name__"));
        if (function.is(Kind::Class)) throw NotSupported("a grad mode as decorator of a class", "decorate its methods");
        std::string text = name.is(Kind::Str) ? name.as<StrObject>()->text : "wrapper";
        return in.native(text, [inside, function](Interpreter& i, Args& args) {
            struct Scope {
                Interpreter& in;
                Modes before;
                ~Scope() { set(in, before); }
            } scope{i, current(i)};
            set(i, inside);
            return i.call(function, args);
        });
    }
};

ModeProtocol mode_protocol;

/// A class whose instances set a mode. `@torch.no_grad` without parentheses decorates too.
void add_mode_class(Interpreter& in, const ModuleObject* torch, const char* name, std::function<Modes(Interpreter&, Args&)> inside, bool at_once = false, bool keeps_grad = false) {
    ClassObject* cls = in.add_class(name, "torch.autograd.grad_mode", nullptr, &mode_protocol);
    cls->construct = constructor([cls, inside = std::move(inside), at_once, keeps_grad](Interpreter& i, Args& args) -> PyValue {
        if (!at_once && !keeps_grad && args.size() == 1 && !args[0].is(Kind::Bool) && i.callable(args[0])) {
            Args none;
            return ModeProtocol::decorated(i, inside(i, none), args[0]);
        }
        auto* m = i.heap().make<ModeObject>(cls);
        m->inside = inside(i, args);
        m->at_once = at_once;
        m->keeps_grad = keeps_grad;
        m->before = current(i);
        if (at_once) set(i, m->inside);
        return PyValue(m);
    });
    in.set_global(torch, name, PyValue(cls));
}

// ------------------------------------------------------------------------------------------ generators

/// `torch.Generator()`.
struct GeneratorObject : NativeObjectOf<GeneratorObject> {
    using NativeObjectOf::NativeObjectOf;
    int number = 0;
    PyValue seed;
    bool cuda = false;
};

const GeneratorObject* generator_of(Interpreter& in, PyValue v) {
    if (!v.is(Kind::Native) || in.class_of(v) != torch_classes(in).generator) raise("TypeError", "expected a 'Generator' object, but got {}", in.type_name(v));
    return static_cast<const GeneratorObject*>(v.object());
}

constexpr int gpu_generator = -1;
constexpr int64_t default_generator_seed = 67280421310721;

/// Seeds are 64 bits; negative ones count from 2^64.
PyValue checked_seed(Interpreter& in, PyValue seed) {
    if (seed.is(Kind::Tensor)) seed = in.protocol_of(seed)->to_int(in, seed);
    if (seed.is(Kind::Bool)) seed = PyValue::integer(seed.as_int());
    if (seed.is(Kind::Float)) seed = PyValue::integer(static_cast<int64_t>(seed.as_float()));
    if (seed.is(Kind::BigInt)) {
        const BigInt& v = seed.as<BigIntObject>()->value;
        if (v.is_negative() || v.bit_length() > 64) raise("RuntimeError", "Overflow when unpacking long long");
        return PyValue::integer(v.to_int64());
    }
    if (!seed.is(Kind::Int) && !seed.is_dynamic(Type::Kind::I64)) raise("TypeError", "manual_seed(): argument 'seed' must be int, not {}", in.type_name(seed));
    return seed;
}

void emit_seed(Interpreter& in, PyValue seed, int generator) {
    in.builder().emit_typed("manual_seed"_op, {in.to_ir(seed, Type::Kind::I64)}, attrs({{"generator", int64_t{generator}}}), {});
}

/// A seed as initial_seed() shows it: never negative.
PyValue shown_seed(Interpreter& in, PyValue seed) {
    if (seed.is_unbound()) throw NotSupported("the seed of a generator that the script did not seed", "call torch.manual_seed first");
    if (seed.is(Kind::Int) && seed.as_int() < 0) {
        BigInt v(seed.as_int());
        return in.integer(v + BigInt(1).shift_left(64));
    }
    return seed;
}

PyValue state_of(Interpreter& in, int generator) { return emit_one(in, "rng_get_state"_op, {}, attrs({{"generator", int64_t{generator}}})); }

void set_state_of(Interpreter& in, int generator, PyValue state) {
    if (!state.is(Kind::Tensor) || type_of(in, state).dtype != DType::U8) raise("TypeError", "expected a torch.ByteTensor, but got {}", in.type_name(state));
    if (int64_t n = type_of(in, state).numel(); n != 5056) raise("RuntimeError", "Expected a CPUGeneratorImplState of size 5056 or CPUGeneratorImplStateLegacy, but found the input RNG state size to be {}", n);
    emit_row(in, "rng_set_state"_op, {state}, attrs({{"generator", int64_t{generator}}}));
}

void bind_generators(Interpreter& in, const ModuleObject* torch) {
    static Protocol protocol;
    ClassObject* cls = in.add_class("Generator", "torch._C", nullptr, &protocol);
    torch_classes(in).generator = cls;
    in.set_global(torch, "Generator", PyValue(cls));
    cls->construct = constructor([cls](Interpreter& i, Args& args) -> PyValue {
        ArgReader a(i, args, "Generator(device='cpu')");
        auto* g = i.heap().make<GeneratorObject>(cls);
        if (a.has("device")) g->cuda = parse_device(i, a["device"]).device_is_cuda();
        if (g->cuda && !i.options().cuda) raise("AcceleratorError", insufficient_cuda_driver);
        g->number = change_torch_state(i).next_generator++;
        if (g->cuda) g->number = gpu_generator - g->number;
        g->seed = PyValue::integer(default_generator_seed);
        emit_seed(i, g->seed, g->number);
        return PyValue(g);
    });
    in.add_method(cls, "manual_seed", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "manual_seed(self, seed)");
        const GeneratorObject* g = generator_of(i, a["self"]);
        PyValue seed = checked_seed(i, a["seed"]);
        i.heap().change(g).seed = seed;
        emit_seed(i, seed, g->number);
        return a["self"];
    });
    in.add_method(cls, "initial_seed", [](Interpreter& i, Args& a) { return shown_seed(i, generator_of(i, a[0])->seed); });
    in.add_method(cls, "get_state", [](Interpreter& i, Args& a) { return state_of(i, generator_of(i, a[0])->number); });
    in.add_method(cls, "set_state", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "set_state(self, new_state)");
        set_state_of(i, generator_of(i, a["self"])->number, a["new_state"]);
        return a["self"];
    });
    in.add_property(cls, "device", [](Interpreter& i, Args& a) { return PyValue::device(generator_of(i, a[0])->cuda, generator_of(i, a[0])->cuda ? 0 : -1); });

    auto manual_seed = [cls](Interpreter& i, Args& args) -> PyValue {
        ArgReader a(i, args, "manual_seed(seed)");
        PyValue seed = checked_seed(i, a["seed"]);
        change_torch_state(i).default_seed = seed;
        emit_seed(i, seed, 0);
        if (i.options().cuda) emit_seed(i, seed, gpu_generator);
        auto* g = i.heap().make<GeneratorObject>(cls);
        g->seed = seed;
        return PyValue(g);
    };
    in.add_function(torch, "manual_seed", manual_seed);
    in.add_function(torch, "get_rng_state", [](Interpreter& i, Args&) { return state_of(i, 0); });
    in.add_function(torch, "set_rng_state", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "set_rng_state(new_state)");
        set_state_of(i, 0, a["new_state"]);
        return PyValue::none();
    });
    in.add_function(torch, "initial_seed", [](Interpreter& i, Args&) { return shown_seed(i, torch_state(i).default_seed); });
    auto* standard = in.heap().make<GeneratorObject>(cls);
    standard->number = 0;
    in.set_global(torch, "default_generator", PyValue(standard));
    in.add_module("torch.random", [torch](Interpreter& i, const ModuleObject* m) {
        i.heap().change(m).missing = [](Interpreter& i2, Symbol name) { return prelude_member(i2, "random", *name); };
        for (const char* name : {"manual_seed", "initial_seed", "get_rng_state", "set_rng_state"}) i.set_global(m, name, i.get_attr(PyValue(torch), name));
    });
}

// ------------------------------------------------------------------------------------- defaults, switches

PyValue set_default_dtype(Interpreter& in, Args& args) {
    ArgReader a(in, args, "set_default_dtype(d)");
    PyValue d = a["d"];
    if (!d.is(Kind::DType)) raise("TypeError", "invalid dtype object: only floating-point types are supported as the default type");
    if (!is_float(d.as_dtype())) raise("TypeError", "only floating-point types are supported as the default type");
    change_torch_state(in).default_dtype = d.as_dtype();
    return PyValue::none();
}

/// Functions that tune speed, threads or checks, and that a program's results do not depend on.
constexpr const char* switches[] = {
    "set_num_threads", "set_num_interop_threads", "use_deterministic_algorithms", "set_float32_matmul_precision", "set_flush_denormal", "set_deterministic_debug_mode", "set_warn_always",
};

}  // namespace

int64_t generator_number(Interpreter& in, PyValue generator) {
    if (generator.is_unbound() || generator.is_none()) return 0;
    return generator_of(in, generator)->number;
}

void seed_gpu(Interpreter& in, PyValue seed) { emit_seed(in, checked_seed(in, seed), gpu_generator); }

int64_t generator_for(Interpreter& in, PyValue generator, Op op, bool on_gpu) {
    if (!generator.is_unbound() && !generator.is_none()) {
        const char* devices[] = {"cpu", "cuda"};
        // The CPU's default one goes along: dropout names it, whose masks come from the CPU's stream everywhere.
        if (const bool cuda = generator_of(in, generator)->cuda; cuda != on_gpu && generator_number(in, generator) != 0)
            raise("RuntimeError", "Expected a '{}' device type for generator but found '{}'", devices[on_gpu], devices[cuda]);
        return generator_number(in, generator);
    }
    const bool known = op == "uniform"_op || op == "normal"_op || op == "normal.tensors"_op || op == "randint"_op || op == "bernoulli"_op || op == "bernoulli.tensor"_op;
    return on_gpu && known ? gpu_generator : 0;
}

void bind_modes(Interpreter& in, const ModuleObject* torch) {
    add_mode_class(in, torch, "no_grad", [](Interpreter& i, Args&) { return Modes{false, current(i).inference}; });
    add_mode_class(in, torch, "enable_grad", [](Interpreter& i, Args&) { return Modes{true, current(i).inference}; });
    add_mode_class(
        in, torch, "set_grad_enabled",
        [](Interpreter& i, Args& args) {
            ArgReader a(i, args, "set_grad_enabled(mode)");
            return Modes{i.need_bool(a["mode"], "mode"), current(i).inference};
        },
        true);
    add_mode_class(in, torch, "inference_mode", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "inference_mode(mode=True)");
        bool on = !a.has("mode") || i.need_bool(a["mode"], "mode");
        return Modes{!on, on};
    });
    in.add_function(torch, "is_grad_enabled", [](Interpreter& i, Args&) { return PyValue::boolean(i.autograd().grad_enabled()); });
    in.add_function(torch, "is_inference_mode_enabled", [](Interpreter& i, Args&) { return PyValue::boolean(i.autograd().inference_mode()); });
    in.add_function(torch, "is_inference", [](Interpreter& i, Args& a) { return PyValue::boolean(i.autograd().variable(tensor_of(a[0])->variable).inference); });

    in.add_function(torch, "set_default_dtype", set_default_dtype);
    in.add_function(torch, "get_default_dtype", [](Interpreter& i, Args&) { return PyValue::dtype(default_dtype(i)); });
    in.add_function(torch, "set_default_device", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "set_default_device(device)");
        change_torch_state(i).default_device = a["device"].is_none() ? PyValue() : parse_device(i, a["device"]);
        return PyValue::none();
    });
    in.add_function(torch, "get_default_device", [](Interpreter& i, Args&) {
        PyValue d = torch_state(i).default_device;
        return d.is_unbound() ? PyValue::device(false, -1) : d;
    });
    for (const char* name : switches) in.add_function(torch, name, [](Interpreter&, Args&) { return PyValue::none(); });
    in.add_function(torch, "get_num_threads", [](Interpreter&, Args&) { return PyValue::integer(1); });
    in.add_function(torch, "get_float32_matmul_precision", [](Interpreter& i, Args&) { return i.str("highest"); });
    in.add_function(torch, "are_deterministic_algorithms_enabled", [](Interpreter&, Args&) { return PyValue::boolean(false); });
    bind_generators(in, torch);
}

void bind_anomaly(Interpreter& in, const ModuleObject* autograd) {
    for (const char* name : {"detect_anomaly", "set_detect_anomaly"}) {
        std::string own = name;
        add_mode_class(
            in, autograd, name,
            [own](Interpreter& i, Args& args) {
                bool on = args.size() == 0 || own == "detect_anomaly" || i.need_bool(args[0], "mode");
                if (on) throw NotSupported("anomaly detection", "leave it out: sifr checks saved values by itself");
                return current(i);
            },
            false, true);
    }
}

}  // namespace sifr::capture
