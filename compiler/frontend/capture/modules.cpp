// Modules of the standard library that scripts use beside math: the world outside (time, sys, os), and small ones.
// itertools, functools, collections and dataclasses are written in the language itself (modules_python.cpp).
#include <algorithm>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/modules_python.h"
#include "compiler/frontend/capture/operators.h"

namespace sifr::capture {

namespace {

using K = Type::Kind;

PyValue clock(Interpreter& in, const char* which) { return in.emit_scalar("clock"_op, {}, attrs({{"which", std::string(which)}})); }

void fill_time(Interpreter& in, const ModuleObject* m) {
    for (const char* name : {"time", "perf_counter", "process_time", "monotonic"})
        in.add_function(m, name, [name](Interpreter& i, Args&) { return clock(i, std::string_view(name) == "monotonic" ? "perf_counter" : name); });
    for (const char* name : {"perf_counter_ns", "time_ns", "monotonic_ns"})
        in.add_function(m, name, [name](Interpreter& i, Args&) -> PyValue {
            PyValue s = clock(i, std::string_view(name) == "time_ns" ? "time" : "perf_counter");
            return i.emit_scalar("ftoi"_op, {i.to_ir(i.emit_scalar("fmul"_op, {s.as_value(), i.function().add_constant(1e9)}))});
        });
    in.add_function(m, "sleep", [](Interpreter&, Args&) -> PyValue { throw NotSupported("time.sleep()"); });
}

/// `sys.argv`: a list of strings when they are known, else a run-time list of strings.
PyValue argv(Interpreter& in) {
    if (in.options().argv) {
        Values items{in.str(in.options().script_path)};
        for (const std::string& a : *in.options().argv) items.push_back(in.str(a));
        return in.list(std::move(items));
    }
    return {};
}

/// sys.argv whose contents are known at run time only.
class RunTimeArgv : public Protocol {
public:
    PyValue get_item(Interpreter& in, PyValue self, PyValue index) override {
        if (const auto* s = index.get_if<SliceObject>()) {
            (void)s;
            (void)self;
            throw NotSupported("a slice of sys.argv that is known only at run time", "index it: `sys.argv[1]`, or build with --bake-args");
        }
        if (index.is(Kind::Int) && index.as_int() == 0) return in.str(in.options().script_path);
        if (index.is(Kind::Int) && index.as_int() < 0) {
            PyValue n = in.emit_scalar("argc"_op, {});
            index = in.binary(syntax::BinaryOp::Add, n, index);
        }
        return in.emit_scalar("argv"_op, {in.to_ir(index, K::I64)});
    }
    PyValue len(Interpreter& in, PyValue) override { return in.emit_scalar("argc"_op, {}); }
    PyValue repr(Interpreter&, PyValue) override { throw NotSupported("printing sys.argv when it is known only at run time"); }
};

struct ArgvObject : NativeObjectOf<ArgvObject> {
    using NativeObjectOf::NativeObjectOf;
};

void fill_sys(Interpreter& in, const ModuleObject* m) {
    PyValue known = argv(in);
    if (known.is_unbound()) {
        static RunTimeArgv protocol;
        ClassObject* cls = in.add_class("list", "sys", nullptr, &protocol);
        known = in.heap().make<ArgvObject>(cls);
    }
    in.set_global(m, "argv", known);
    in.set_global(m, "maxsize", PyValue::integer(INT64_MAX));
    in.set_global(m, "version", in.str("3.11"));
    in.set_global(m, "platform", in.str("linux"));
    in.set_global(m, "byteorder", in.str("little"));
    in.set_global(m, "version_info", in.tuple({PyValue::integer(3), PyValue::integer(11), PyValue::integer(0)}));
    for (const char* name : {"stdout", "stderr"}) {
        ClassObject* cls = in.add_class("TextIOWrapper", "_io", nullptr, nullptr);
        auto* stream = in.heap().make<InstanceObject>(cls);
        stream->attributes.set(symbol(std::string("<") + name + ">"), PyValue::boolean(true));
        bool out = std::string_view(name) == "stdout";
        in.add_method(cls, "write", [out](Interpreter& i, Args& args) {
            if (!args[1].is_str()) i.raise_error("TypeError", "write() argument must be str, not {}", i.type_name(args[1]));
            if (out) i.print(args[1]);
            else i.builder().emit_typed("print_stderr"_op, {i.to_ir(args[1])}, {}, {});
            return i.length(args[1]);
        });
        in.add_method(cls, "flush", [](Interpreter&, Args&) { return PyValue::none(); });
        in.set_global(m, name, stream);
    }
    in.add_function(m, "exit", [](Interpreter& i, Args& args) -> PyValue {
        PyValue e = i.heap().make<InstanceObject>(i.exception_class("SystemExit"));
        i.set_attr(e, symbol("args"), i.tuple(args.positional));
        throw Raised{e, i.span(), std::nullopt};
    });
    in.add_function(m, "getrecursionlimit", [](Interpreter& i, Args&) { return PyValue::integer(i.options().recursion_limit); });
    in.add_function(m, "setrecursionlimit", [](Interpreter&, Args&) { return PyValue::none(); });
    in.add_function(m, "getsizeof", [](Interpreter&, Args&) -> PyValue { throw NotSupported("sys.getsizeof()"); });
}

void fill_os(Interpreter& in, const ModuleObject* m) {
    ClassObject* cls = in.add_class("_Environ", "os", nullptr, nullptr);
    auto* environ = in.heap().make<InstanceObject>(cls);
    auto get = [](Interpreter& i, PyValue name, PyValue otherwise) -> PyValue {
        ValueId v = i.builder().emit("env"_op, {i.to_ir(name)});
        ValueId flag = i.builder().emit("bnot"_op, {i.builder().emit("is_none"_op, {v})});
        return i.fork_if(flag, [&] {
            InstId id = i.builder().emit_typed("unwrap"_op, {v}, attrs({{"error", std::string("KeyError: ")}}), {Type::str()});
            return PyValue::dynamic(i.function()[id].results[0], K::Str);
        }, [&] { return otherwise; });
    };
    in.add_method(cls, "get", [get](Interpreter& i, Args& args) { return get(i, args[1], args.size() > 2 ? args[2] : PyValue::none()); });
    in.add_method(cls, "__contains__", [](Interpreter& i, Args& args) -> PyValue {
        ValueId v = i.builder().emit("env"_op, {i.to_ir(args[1])});
        return i.emit_scalar("bnot"_op, {i.builder().emit("is_none"_op, {v})});
    });
    in.set_global(m, "environ", environ);
    in.add_function(m, "getenv", [get](Interpreter& i, Args& args) { return get(i, args[0], args.size() > 1 ? args[1] : PyValue::none()); });
    in.set_global(m, "sep", in.str("/"));
    in.set_global(m, "linesep", in.str("\n"));
}

/// Names for annotations: any subscript gives itself again.
void fill_typing(Interpreter& in, const ModuleObject* m) {
    for (const char* name : {"Any", "Optional", "Union", "List", "Dict", "Tuple", "Set", "FrozenSet", "Type", "Callable", "Iterable", "Iterator", "Sequence", "Mapping", "Generator",
                             "Literal", "Final", "ClassVar", "Generic", "Protocol", "NamedTuple", "Iterable", "MutableMapping", "Hashable", "Sized", "Annotated", "Self"}) {
        ClassObject* c = in.add_class(name, "typing", nullptr, nullptr);
        in.set_global(m, name, c);
    }
    in.set_global(m, "TYPE_CHECKING", PyValue::boolean(false));
    in.add_function(m, "TypeVar", [](Interpreter& i, Args&) { return PyValue(i.builtin_class("object")); });
    for (const char* name : {"cast", "overload", "final", "no_type_check"}) {
        bool second = std::string_view(name) == "cast";
        in.add_function(m, name, [second](Interpreter&, Args& args) { return args[second ? 1 : 0]; });
    }
}

PyValue copied(Interpreter& in, PyValue v, bool deep, std::unordered_map<const Object*, PyValue>& known) {
    if (!v.is_object()) return v;
    if (auto it = known.find(v.object()); it != known.end()) return it->second;
    auto inner = [&](PyValue x) { return deep ? copied(in, x, true, known) : x; };
    if (v.is(Kind::Tensor)) {
        PyValue r = v;
        if (PyValue m = in.find_attr(v, symbol("__deepcopy__")); deep && !m.is_unbound()) r = in.call(m, Values{in.dict()});
        else if (deep) r = in.call_method(in.call_method(v, "detach"), "clone");
        known[v.object()] = r;
        return r;
    }
    switch (v.kind()) {
        case Kind::List: {
            auto* r = in.heap().make<ListObject>();
            known[v.object()] = r;
            for (PyValue x : v.as<ListObject>()->items) r->items.push_back(inner(x));
            return r;
        }
        case Kind::Tuple: {
            Values items;
            for (PyValue x : v.as<TupleObject>()->items) items.push_back(inner(x));
            return known[v.object()] = in.tuple_of(v.as<TupleObject>()->cls, std::move(items));
        }
        case Kind::Dict: {
            auto* r = in.heap().make<DictObject>(*v.as<DictObject>());
            known[v.object()] = r;
            if (deep)
                for (auto& e : r->entries) e.value = inner(e.value);
            return r;
        }
        case Kind::Set: return known[v.object()] = in.heap().make<SetObject>(*v.as<SetObject>());
        case Kind::Instance: {
            const auto* i = v.as<InstanceObject>();
            if (PyValue m = i->cls->lookup(symbol(deep ? "__deepcopy__" : "__copy__")); !m.is_unbound()) {
                Values args{v};
                if (deep) args.push_back(in.dict());
                return known[v.object()] = in.call(m, std::move(args));
            }
            auto* r = in.heap().make<InstanceObject>(*i);
            known[v.object()] = r;
            if (deep)
                for (auto& [name, value] : r->attributes.entries)
                    if (!value.is_unbound()) value = inner(value);
            if (!r->native.is_unbound()) r->native = copied(in, r->native, deep, known);
            return r;
        }
        case Kind::RunTimeList: return in.call_method(v, "copy");
        default: return v;
    }
}

void fill_copy(Interpreter& in, const ModuleObject* m) {
    for (bool deep : {false, true})
        in.add_function(m, deep ? "deepcopy" : "copy", [deep](Interpreter& i, Args& args) {
            std::unordered_map<const Object*, PyValue> known;
            return copied(i, args[0], deep, known);
        });
}

void fill_operator(Interpreter& in, const ModuleObject* m) {
    struct Row {
        const char* name;
        syntax::BinaryOp op;
    };
    static constexpr Row rows[] = {{"add", syntax::BinaryOp::Add}, {"sub", syntax::BinaryOp::Sub}, {"mul", syntax::BinaryOp::Mult}, {"truediv", syntax::BinaryOp::Div},
                                   {"floordiv", syntax::BinaryOp::FloorDiv}, {"mod", syntax::BinaryOp::Mod}, {"pow", syntax::BinaryOp::Pow}, {"matmul", syntax::BinaryOp::MatMult}};
    for (const Row& r : rows) in.add_function(m, r.name, [&r](Interpreter& i, Args& args) { return i.binary(r.op, args[0], args[1]); });
    in.add_function(m, "neg", [](Interpreter& i, Args& args) { return i.unary(syntax::UnaryOperator::Minus, args[0]); });
    in.add_function(m, "itemgetter", [](Interpreter& i, Args& args) {
        Values keys = args.positional;
        return i.native("itemgetter", [keys](Interpreter& i2, Args& a) {
            if (keys.size() == 1) return i2.get_item(a[0], keys[0]);
            Values items;
            for (PyValue k : keys) items.push_back(i2.get_item(a[0], k));
            return i2.tuple(std::move(items));
        });
    });
    in.add_function(m, "attrgetter", [](Interpreter& i, Args& args) {
        std::string name = i.need_str(args[0], "an attribute name");
        return i.native("attrgetter", [name](Interpreter& i2, Args& a) { return i2.get_attr(a[0], name); });
    });
}

/// A function under the names of another one.
PyValue with_names_of(Interpreter& in, PyValue function, PyValue from) {
    const auto* f = function.get_if<FunctionObject>();
    if (!f) return function;
    if (const auto* other = from.get_if<FunctionObject>()) {
        FunctionObject& changed = in.heap().change(f);
        changed.name = other->name;
        changed.qualname = other->qualname;
        for (const auto& [name, value] : other->attributes.entries)
            if (!value.is_unbound()) changed.attributes.set(name, value);
        changed.attributes.set(symbol("__doc__"), in.get_attr(from, "__doc__"));
        changed.attributes.set(symbol("__wrapped__"), from);
    } else if (const auto* native = from.get_if<NativeFunctionObject>()) {
        FunctionObject& changed = in.heap().change(f);
        changed.name = changed.qualname = native->name;
    }
    return function;
}

void fill_functools(Interpreter& in, const ModuleObject* m) {
    in.add_function(m, "partial", [](Interpreter& i, Args& args) {
        if (args.size() == 0) i.raise_error("TypeError", "type 'partial' takes at least one argument");
        PyValue f = args[0];
        Values fixed(args.positional.begin() + 1, args.positional.end());
        auto keywords = args.keywords;
        return i.native("partial", [f, fixed, keywords](Interpreter& i2, Args& more) {
            Args all;
            all.positional = fixed;
            all.positional.insert(all.positional.end(), more.positional.begin(), more.positional.end());
            all.keywords = keywords;
            for (const auto& kw : more.keywords) {
                auto it = std::find_if(all.keywords.begin(), all.keywords.end(), [&](const auto& k) { return k.first == kw.first; });
                if (it == all.keywords.end()) all.keywords.push_back(kw);
                else it->second = kw.second;
            }
            return i2.call(f, std::move(all));
        });
    });
    // `wraps(f)` copies names; caches of static functions change nothing but speed.
    in.add_function(m, "wraps", [](Interpreter& i, Args& args) {
        PyValue from = args[0];
        return i.native("wraps", [from](Interpreter& i2, Args& a) { return with_names_of(i2, a[0], from); });
    });
    in.add_function(m, "update_wrapper", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "update_wrapper(wrapper, wrapped, *rest)");
        return with_names_of(i, a["wrapper"], a["wrapped"]);
    });
}

}  // namespace

void bind_warnings(Interpreter& in, const ModuleObject* m) {
    in.add_function(m, "_write", [](Interpreter& i, Args& args) {
        i.builder().emit_typed("warn"_op, {i.to_ir(args[1])}, attrs({{"category", i.need_str(args[0], "a category")}}), {});
        return PyValue::none();
    });
    in.add_function(m, "_no_pattern", [](Interpreter&, Args&) -> PyValue { throw NotSupported("a regular expression in filterwarnings()", "give the text that the message begins with"); });
}

void bind_standard_modules(Interpreter& in) {
    in.add_module("time", fill_time);
    in.add_module("sys", fill_sys);
    in.add_module("os", fill_os);
    in.add_module("typing", fill_typing);
    in.add_module("copy", fill_copy);
    in.add_module("operator", fill_operator);
    in.add_module("collections.abc", fill_typing);
    in.add_prelude("functools", "functools.py", functools_py, fill_functools);
    in.add_prelude("itertools", "itertools.py", itertools_py);
    in.add_prelude("collections", "collections.py", collections_py, [](Interpreter& i, const ModuleObject* m) { bind_collections(i, m); });
    in.add_prelude("dataclasses", "dataclasses.py", dataclasses_py);
    in.add_prelude("string", "string.py", string_py);
    in.add_prelude("statistics", "statistics.py", statistics_py);
}

}  // namespace sifr::capture
