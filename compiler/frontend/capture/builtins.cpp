// The classes of built-in values, and the exceptions.
#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/operators.h"
#include "compiler/frontend/capture/runtime_text.h"
#include "compiler/frontend/capture/tables.h"

namespace sifr::capture {

void bind_exceptions(Interpreter& in) {
    struct Row {
        const char *name, *base;
    };
    static constexpr Row rows[] = {
        {"BaseException", nullptr},           {"Exception", "BaseException"},        {"SystemExit", "BaseException"},
        {"KeyboardInterrupt", "BaseException"}, {"GeneratorExit", "BaseException"},  {"StopIteration", "Exception"},
        {"ArithmeticError", "Exception"},     {"OverflowError", "ArithmeticError"},  {"ZeroDivisionError", "ArithmeticError"},
        {"FloatingPointError", "ArithmeticError"}, {"AssertionError", "Exception"},  {"AttributeError", "Exception"},
        {"BufferError", "Exception"},         {"EOFError", "Exception"},             {"ImportError", "Exception"},
        {"ModuleNotFoundError", "ImportError"}, {"LookupError", "Exception"},        {"IndexError", "LookupError"},
        {"KeyError", "LookupError"},          {"MemoryError", "Exception"},          {"NameError", "Exception"},
        {"UnboundLocalError", "NameError"},   {"OSError", "Exception"},              {"FileNotFoundError", "OSError"},
        {"FileExistsError", "OSError"},       {"PermissionError", "OSError"},        {"TimeoutError", "OSError"},
        {"ReferenceError", "Exception"},      {"RuntimeError", "Exception"},         {"NotImplementedError", "RuntimeError"},
        {"RecursionError", "RuntimeError"},   {"SyntaxError", "Exception"},          {"SystemError", "Exception"},
        {"TypeError", "Exception"},           {"ValueError", "Exception"},           {"UnicodeError", "ValueError"},
        {"Warning", "Exception"},             {"DeprecationWarning", "Warning"},     {"UserWarning", "Warning"},
        {"RuntimeWarning", "Warning"},        {"FutureWarning", "Warning"},
    };
    for (const Row& r : rows) {
        const ClassObject* c = in.add_exception_class(r.name, r.base ? in.exception_class(r.base) : in.builtin_class("object"), "builtins");
        in.add_builtin(r.name, c);
    }
    // `Exception.__init__(self, *args)`, called through super() by subclasses.
    in.add_method(in.exception_class("BaseException"), "__init__", [](Interpreter& i, Args& args) {
        if (!args[0].is(Kind::Instance)) i.raise_error("TypeError", "an exception was expected");
        i.set_attr(args[0], symbol("args"), i.tuple(Values(args.positional.begin() + 1, args.positional.end())));
        return PyValue::none();
    });
    in.add_method(in.exception_class("BaseException"), "with_traceback", [](Interpreter&, Args& args) { return args[0]; });
    in.add_property(in.exception_class("StopIteration"), "value", [](Interpreter& i, Args& args) {
        PyValue a = i.get_attr(args[0], "args");
        return i.length(a).as_int() ? i.get_item(a, PyValue::integer(0)) : PyValue::none();
    });
    in.add_property(in.exception_class("SystemExit"), "code", [](Interpreter& i, Args& args) {
        PyValue a = i.get_attr(args[0], "args");
        return i.length(a).as_int() ? i.get_item(a, PyValue::integer(0)) : PyValue::none();
    });
    for (const char* name : {"__cause__", "__context__", "__traceback__"}) {
        const Symbol kept = symbol(std::string("<") + name + ">");  // of `raise … from`
        in.add_property(
            in.exception_class("BaseException"), name,
            [kept](Interpreter& i, Args& args) {
                PyValue v = i.find_attr(args[0], kept);
                return v.is_unbound() ? PyValue::none() : v;
            },
            [kept](Interpreter& i, Args& args) {
                i.heap().change(args[0].as<InstanceObject>()).attributes.set(kept, args[1]);
                return PyValue::none();
            });
    }
}

namespace {

void add_class_of(Interpreter& in, Kind kind, const char* name, bool visible, NativeCode construct = {}) {
    ClassObject* c = in.add_class(name, "builtins", nullptr, nullptr);
    c->construct = std::move(construct);
    in.set_kind_class(kind, c);
    if (visible) in.add_builtin(name, c);
}

PyValue make_type(Interpreter& in, Args& args) {
    if (args.size() == 2) {
        PyValue v = args[1];
        if (v.is(Kind::Optional)) throw NotSupported("type() of a value that may be None");
        // A class of the prelude that stands for a native one says so.
        if (v.is(Kind::Instance))
            if (PyValue native = in.class_of(v)->lookup(symbol("__stands_for__")); !native.is_unbound()) return native;
        return in.class_of(v);
    }
    throw NotSupported("type() with three arguments", "write a class statement");
}

PyValue make_bool(Interpreter& in, Args& args) {
    return args.size() < 2 ? PyValue::boolean(false) : in.truth(args[1]);
}

PyValue make_str(Interpreter& in, Args& args) {
    return args.size() < 2 ? in.str("") : in.str_of(args[1]);
}

PyValue make_slice(Interpreter& in, Args& args) {
    if (args.size() == 2) return in.slice(PyValue::none(), args[1], PyValue::none());
    if (args.size() == 3) return in.slice(args[1], args[2], PyValue::none());
    if (args.size() == 4) return in.slice(args[1], args[2], args[3]);
    in.raise_error("TypeError", "slice expected at least 1 argument, got 0");
}

/// `super(cls, self)`; without arguments it is the evaluator's, which knows the method that is running.
PyValue make_super(Interpreter& in, Args& args) {
    if (args.size() == 1) in.raise_error("RuntimeError", "super(): no arguments");
    if (args.size() > 3) in.raise_error("TypeError", "super() expected at most 2 arguments, got {}", args.size() - 1);
    if (!args[1].is(Kind::Class)) in.raise_error("TypeError", "super() argument 1 must be a type, not {}", in.type_name(args[1]));
    if (args.size() == 2) throw NotSupported("super() of a class alone");
    const auto* after = args[1].as<ClassObject>();
    const ClassObject* cls = args[2].is(Kind::Class) ? args[2].as<ClassObject>() : in.class_of(args[2]);
    if (std::ranges::find(cls->mro, after) == cls->mro.end()) in.raise_error("TypeError", "super(type, obj): obj must be an instance or subtype of type");
    return in.heap().make<SuperObject>(after, args[2]);
}

PyValue make_range(Interpreter& in, Args& args) {
    auto bound = [&](PyValue v) -> PyValue {
        if (v.is_dynamic(Type::Kind::I64)) return v;
        if (v.is(Kind::Bool)) return PyValue::integer(v.as_int());
        if (v.is(Kind::Tensor)) {
            Protocol* p = in.protocol_of(v);
            if (PyValue i = p ? p->index(in, v) : PyValue(); !i.is_unbound()) return i;
        }
        return PyValue::integer(in.need_int(v, "a bound of a range"));
    };
    size_t n = args.size() - 1;
    if (n == 0) in.raise_error("TypeError", "range expected at least 1 argument, got 0");
    if (n > 3) in.raise_error("TypeError", "range expected at most 3 arguments, got {}", n);
    PyValue start = n == 1 ? PyValue::integer(0) : bound(args[1]), stop = bound(args[n == 1 ? 1 : 2]), step = n == 3 ? bound(args[3]) : PyValue::integer(1);
    if (step.is(Kind::Int) && step.as_int() == 0) in.raise_error("ValueError", "range() arg 3 must not be zero");
    return in.heap().make<RangeObject>(start, stop, step);
}

PyValue make_property(Interpreter& in, Args& args) {
    auto* d = in.heap().make<DescriptorObject>(DescriptorObject::What::Property, args.size() > 1 ? args[1] : PyValue());
    if (args.size() > 2) d->setter = args[2];
    if (args.size() > 3) d->deleter = args[3];
    for (const auto& [name, value] : args.keywords) {
        if (*name == "fget") d->getter = value;
        if (*name == "fset") d->setter = value;
        if (*name == "fdel") d->deleter = value;
    }
    return d;
}

template <DescriptorObject::What what>
PyValue make_method(Interpreter& in, Args& args) {
    if (args.size() != 2) in.raise_error("TypeError", "a method decorator takes exactly one argument");
    return in.heap().make<DescriptorObject>(what, args[1]);
}

}  // namespace

void bind_builtins(Interpreter& in) {
    in.make_object_class();
    bind_exceptions(in);
    add_class_of(in, Kind::None, "NoneType", false);
    add_class_of(in, Kind::NotImplemented, "NotImplementedType", false);
    add_class_of(in, Kind::Ellipsis, "ellipsis", false);
    add_class_of(in, Kind::Int, "int", true);
    add_class_of(in, Kind::Float, "float", true);
    add_class_of(in, Kind::Complex, "complex", true);
    add_class_of(in, Kind::Str, "str", true, make_str);
    add_class_of(in, Kind::Bytes, "bytes", true);
    add_class_of(in, Kind::Tuple, "tuple", true);
    add_class_of(in, Kind::List, "list", true);
    add_class_of(in, Kind::Dict, "dict", true);
    add_class_of(in, Kind::Set, "set", true);
    add_class_of(in, Kind::Range, "range", true, make_range);
    add_class_of(in, Kind::Slice, "slice", true, make_slice);
    add_class_of(in, Kind::Function, "function", false);
    add_class_of(in, Kind::NativeFunction, "builtin_function_or_method", false);
    add_class_of(in, Kind::BoundMethod, "method", false);
    add_class_of(in, Kind::Module, "module", false);
    add_class_of(in, Kind::Super, "super", true, make_super);
    add_class_of(in, Kind::DType, "dtype", false);
    add_class_of(in, Kind::Device, "device", false);
    add_class_of(in, Kind::Tensor, "Tensor", false);
    ClassObject* boolean = in.add_class("bool", "builtins", in.builtin_class("int"), nullptr);
    boolean->construct = make_bool;
    in.set_kind_class(Kind::Bool, boolean);
    in.set_kind_class(Kind::BigInt, in.builtin_class("int"));
    in.add_builtin("bool", boolean);
    for (auto& [name, make] : std::initializer_list<std::pair<const char*, NativeCode>>{
             {"property", make_property}, {"staticmethod", make_method<DescriptorObject::What::StaticMethod>}, {"classmethod", make_method<DescriptorObject::What::ClassMethod>}}) {
        ClassObject* c = in.add_class(name, "builtins", nullptr, nullptr);
        c->construct = make;
        in.add_builtin(name, c);
    }
    in.add_class("frozenset", "builtins", nullptr, nullptr);
    in.add_builtin("None", PyValue::none());
    in.add_builtin("NotImplemented", PyValue::not_implemented());
    in.add_builtin("Ellipsis", PyValue::ellipsis());
    in.add_builtin("__debug__", PyValue::boolean(true));
    bind_numbers(in);
    bind_complex(in);
    bind_str(in);
    bind_containers(in);
    bind_functions(in);
    bind_iteration(in);
}

void Interpreter::make_object_class() {
    auto* object = heap_.make<ClassObject>();
    object->name = object->qualname = "object";
    object->module = "builtins";
    object->mro = {object};
    tables_->object = object;
    tables_->classes.emplace("object", object);
    ClassObject* type = add_class("type", "builtins", object, nullptr);
    tables_->type = type;
    type->construct = make_type;
    set_kind_class(Kind::Class, type);
    add_builtin("object", object);
    add_builtin("type", type);
    // What super().__init__() and friends find at the end of the mro.
    add_method(object, "__setattr__", [](Interpreter& in, Args& args) {
        if (args.size() != 3) in.raise_error("TypeError", "expected 2 arguments, got {}", args.size() - 1);
        Symbol name = symbol(in.need_str(args[1], "an attribute name"));
        if (const auto* i = args[0].get_if<InstanceObject>()) in.heap().change(i).attributes.set(name, args[2]);
        else in.set_attr(args[0], name, args[2]);
        return PyValue::none();
    });
    add_method(object, "__getattribute__", [](Interpreter& in, Args& args) { return in.get_attr(args[0], symbol(in.need_str(args[1], "an attribute name"))); });
    add_method(object, "__delattr__", [](Interpreter& in, Args& args) {
        Symbol name = symbol(in.need_str(args[1], "an attribute name"));
        const auto* i = args[0].get_if<InstanceObject>();
        if (!i || !i->attributes.bound(name)) in.no_attribute(args[0], name);
        in.heap().change(i).attributes.set(name, {});
        return PyValue::none();
    });
    add_static_method(object, "__new__", [](Interpreter& in, Args& args) -> PyValue {
        if (args.size() < 1 || !args[0].is(Kind::Class)) in.raise_error("TypeError", "object.__new__(X): X is not a type object");
        return in.heap().make<InstanceObject>(args[0].as<ClassObject>());
    });
}

}  // namespace sifr::capture
