// print, len, isinstance, getattr and other functions that look at any object.
#include <algorithm>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/operators.h"
#include "compiler/frontend/capture/runtime_text.h"

namespace sifr::capture {

namespace {

PyValue print(Interpreter& in, Args& args) {
    PyValue sep = in.str(" "), end = in.str("\n");
    bool to_stderr = false;
    for (const auto& [name, value] : args.keywords) {
        if (*name == "sep" || *name == "end") {
            if (value.is_none()) continue;
            if (!value.is_str()) in.raise_error("TypeError", "{} must be None or a string, not {}", *name, in.type_name(value));
            (*name == "sep" ? sep : end) = value;
        } else if (*name == "file") {
            to_stderr = !value.is_none() && in.find_attr(value, symbol("<stderr>")).is(Kind::Bool);
            if (!value.is_none() && !to_stderr && in.find_attr(value, symbol("<stdout>")).is_unbound()) throw NotSupported("print(file=…) to something else than sys.stdout or sys.stderr");
        } else if (*name != "flush") {
            in.raise_error("TypeError", "'{}' is an invalid keyword argument for print()", *name);
        }
    }
    Values parts;
    for (size_t i = 0; i < args.size(); ++i) {
        if (i) parts.push_back(sep);
        parts.push_back(in.str_of(args[i]));
    }
    parts.push_back(end);
    PyValue text = in.concat(parts);
    if (to_stderr) in.builder().emit_typed("print_stderr"_op, {in.to_ir(text)}, {}, {});
    else in.print(text);
    return PyValue::none();
}

bool is_instance(Interpreter& in, PyValue v, PyValue cls) {
    if (const auto* t = cls.get_if<TupleObject>())
        return std::any_of(t->items.begin(), t->items.end(), [&](PyValue c) { return is_instance(in, v, c); });
    if (cls.is_none()) return v.is_none();
    if (!cls.is(Kind::Class)) in.raise_error("TypeError", "isinstance() arg 2 must be a type, a tuple of types, or a union");
    const auto* c = cls.as<ClassObject>();
    if (in.isinstance(v, c)) return true;
    if (PyValue hook = c->lookup(symbol("__instancecheck__")); !hook.is_unbound()) return in.is_true(in.call(hook, Values{cls, v}));
    return c->name == "Callable" && in.callable(v);
}

bool is_subclass(Interpreter& in, PyValue c, PyValue cls) {
    if (const auto* t = cls.get_if<TupleObject>())
        return std::any_of(t->items.begin(), t->items.end(), [&](PyValue k) { return is_subclass(in, c, k); });
    if (!c.is(Kind::Class)) in.raise_error("TypeError", "issubclass() arg 1 must be a class");
    if (!cls.is(Kind::Class)) in.raise_error("TypeError", "issubclass() arg 2 must be a class, a tuple of classes, or a union");
    return c.as<ClassObject>()->derives_from(cls.as<ClassObject>());
}

/// The attribute, or unbound where the lookup itself raises AttributeError (a property, __getattr__).
PyValue attribute_or_nothing(Interpreter& in, PyValue object, Symbol name) {
    try {
        return in.find_attr(object, name);
    } catch (const ScriptError& e) {
        if (e.type != "AttributeError") throw;
    } catch (const Raised& r) {
        if (!in.isinstance(r.exception, in.exception_class("AttributeError"))) throw;
    }
    return {};
}

Symbol attribute_name(Interpreter& in, PyValue v) {
    if (!v.is_str()) in.raise_error("TypeError", "attribute name must be string, not '{}'", in.type_name(v));
    return symbol(in.need_str(v, "an attribute name"));
}

PyValue identity(Interpreter& in, Args& args) {
    ArgReader a(in, args, "id(obj, /)");
    PyValue v = a["obj"];
    // Not CPython's addresses: equal for the same object and different for others.
    if (v.is_object()) return PyValue::integer(0x7f0000000000 + static_cast<int64_t>(v.object()->number) * 64);
    std::string key = hash_key(in, v);
    return PyValue::integer(0x7e0000000000 + static_cast<int64_t>(std::hash<std::string>()(key) & 0xffffff) * 16);
}

PyValue hash(Interpreter& in, Args& args) {
    PyValue v = args[0];
    if (v.is(Kind::Instance))
        if (PyValue m = in.class_of(v)->lookup(symbol("__hash__")); !m.is_unbound()) return in.call(m, Values{v});
    if (v.is(Kind::Int) || v.is(Kind::Bool)) {
        // modulo 2^61 - 1, as CPython
        constexpr int64_t prime = (int64_t{1} << 61) - 1;
        int64_t h = v.as_int() % prime;
        return PyValue::integer(h == -1 ? -2 : h);
    }
    std::string key = hash_key(in, v);
    return PyValue::integer(static_cast<int64_t>(std::hash<std::string>()(key) >> 3));
}

PyValue vars(Interpreter& in, Args& args) {
    if (args.size() == 0) throw NotSupported("vars() without an argument");
    PyValue d = in.find_attr(args[0], symbol("__dict__"));
    if (!d.is_unbound()) return d;
    in.raise_error("TypeError", "vars() argument must have __dict__ attribute");
}

PyValue dir(Interpreter& in, Args& args) {
    if (args.size() == 0) throw NotSupported("dir() without an argument");
    std::vector<std::string> names = in.attribute_names(args[0]);
    std::sort(names.begin(), names.end());
    Values items;
    for (const std::string& n : names) items.push_back(in.str(n));
    return in.list(std::move(items));
}

PyValue input(Interpreter& in, Args& args) {
    if (args.size()) in.print(in.str_of(args[0]));
    return PyValue::dynamic(in.builder().emit("input"_op, {}), Type::Kind::Str);
}

}  // namespace

void bind_functions(Interpreter& in) {
    auto add = [&](const char* name, NativeCode code) { in.add_builtin(name, in.native(name, std::move(code))); };
    add("print", print);
    add("len", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "len(obj, /)");
        PyValue n = i.length(a["obj"]);
        if (!n.is_number() || Interpreter::scalar_kind(n) == Type::Kind::F64) i.raise_error("TypeError", "'{}' object cannot be interpreted as an integer", i.type_name(n));
        if (n.is(Kind::Int) && n.as_int() < 0) i.raise_error("ValueError", "__len__() should return >= 0");
        return n;
    });
    add("isinstance", [](Interpreter& i, Args& args) -> PyValue {
        ArgReader a(i, args, "isinstance(obj, class_or_tuple, /)");
        if (const auto* o = a["obj"].get_if<OptionalObject>(); o && o->absent == Kind::None) {
            bool with = is_instance(i, o->value, a["class_or_tuple"]), without = is_instance(i, PyValue::none(), a["class_or_tuple"]);
            if (with == without) return PyValue::boolean(with);
            PyValue flag = PyValue::dynamic(o->present, Type::Kind::Bool);
            return with ? flag : i.unary(syntax::UnaryOperator::Not, flag);
        }
        return PyValue::boolean(is_instance(i, a["obj"], a["class_or_tuple"]));
    });
    add("issubclass", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "issubclass(cls, class_or_tuple, /)");
        return PyValue::boolean(is_subclass(i, a["cls"], a["class_or_tuple"]));
    });
    add("hasattr", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "hasattr(obj, name, /)");
        return PyValue::boolean(!attribute_or_nothing(i, a["obj"], attribute_name(i, a["name"])).is_unbound());
    });
    add("getattr", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "getattr(object, name, default=None, /)");
        Symbol name = attribute_name(i, a["name"]);
        if (!a.has("default")) return i.get_attr(a["object"], name);
        PyValue v = attribute_or_nothing(i, a["object"], name);
        return v.is_unbound() ? a["default"] : v;
    });
    add("setattr", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "setattr(obj, name, value, /)");
        i.set_attr(a["obj"], attribute_name(i, a["name"]), a["value"]);
        return PyValue::none();
    });
    add("delattr", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "delattr(obj, name, /)");
        i.del_attr(a["obj"], attribute_name(i, a["name"]));
        return PyValue::none();
    });
    add("callable", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "callable(obj, /)");
        return PyValue::boolean(i.callable(a["obj"]));
    });
    add("repr", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "repr(obj, /)");
        return i.repr_of(a["obj"]);
    });
    add("ascii", [](Interpreter& i, Args& args) {
        std::string out;
        for (PyValue letter : i.iterate(i.str(i.need_str(i.repr_of(args[0]), "a text")))) {
            const std::string& bytes = letter.as<StrObject>()->text;
            int64_t code = 0;
            must(sifr_ord(rt(bytes), &code));
            if (code < 128) out += bytes;
            else out += code < 256 ? fmt::format("\\x{:02x}", code) : code < 65536 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
        }
        return i.str(out);
    });
    add("format", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "format(value, format_spec='', /)");
        return i.format_of(a["value"], a.has("format_spec") ? a["format_spec"] : i.str(""));
    });
    add("id", identity);
    add("hash", hash);
    add("vars", vars);
    add("dir", dir);
    add("input", input);
    for (const char* name : {"exit", "quit"})
        add(name, [](Interpreter& i, Args& args) -> PyValue {
            PyValue e = i.heap().make<InstanceObject>(i.exception_class("SystemExit"));
            i.set_attr(e, symbol("args"), i.tuple(args.positional));
            throw Raised{e, i.span(), std::nullopt};
        });
    for (const char* name : {"open", "eval", "exec", "compile", "globals", "locals", "__import__", "memoryview", "bytearray", "breakpoint"})
        add(name, [name](Interpreter&, Args&) -> PyValue { throw NotSupported(fmt::format("{}()", name)); });
}

}  // namespace sifr::capture
