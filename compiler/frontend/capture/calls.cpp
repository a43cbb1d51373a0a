// Calls: what can be called, how arguments meet parameters, and how classes make instances.
#include <algorithm>

#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/interpreter.h"

namespace sifr::capture {

PyValue Interpreter::call(PyValue callee, Values positional) {
    Args args;
    args.positional = std::move(positional);
    return call(callee, std::move(args));
}

PyValue Interpreter::call_method(PyValue object, std::string_view name, Values positional) { return call(get_attr(object, name), std::move(positional)); }

bool Interpreter::callable(PyValue v) {
    switch (v.kind()) {
        case Kind::Function:
        case Kind::NativeFunction:
        case Kind::BoundMethod:
        case Kind::Class: return true;
        case Kind::Instance: return !class_of(v)->lookup(symbol("__call__")).is_unbound();
        default: return v.is(Kind::Native) && !class_of(v)->lookup(symbol("__call__")).is_unbound();
    }
}

PyValue Interpreter::call(PyValue callee, Args args) {
    if (callee.is(Kind::Optional)) callee = evaluator_->present(callee, "TypeError: 'NoneType' object is not callable");
    switch (callee.kind()) {
        case Kind::Unusable: evaluator_->unusable(callee);
        case Kind::Function: {
            const auto* f = callee.as<FunctionObject>();
            if (f->globals->overridable && override_call)
                if (PyValue r = override_call(callee, args); !r.is_unbound()) return r;
            return evaluator_->call_function(f, args);
        }
        case Kind::NativeFunction: {
            const auto* f = callee.as<NativeFunctionObject>();
            if (f->overridable && override_call)
                if (PyValue r = override_call(callee, args); !r.is_unbound()) return r;
            return f->code(*this, args);
        }
        case Kind::BoundMethod: {
            const auto* b = callee.as<BoundMethodObject>();
            args.positional.insert(args.positional.begin(), b->self);
            return call(b->function, std::move(args));
        }
        case Kind::Class: {
            const auto* cls = callee.as<ClassObject>();
            static const Symbol init_symbol = symbol("__init__"), new_symbol = symbol("__new__");
            if (PyValue m = Evaluator::metaclass_method(cls, "__call__"); !m.is_unbound()) {
                args.positional.insert(args.positional.begin(), callee);
                return call(m, std::move(args));
            }
            static const Symbol abstract_symbol = symbol("__abstractmethods__");
            if (PyValue names = cls->attributes.get(abstract_symbol); names.is(Kind::Tuple) && !names.as<TupleObject>()->items.empty()) {
                std::string list;
                const Values& items = names.as<TupleObject>()->items;
                for (PyValue n : items) list += (list.empty() ? "" : ", ") + need_str(n, "a name");
                raise_error("TypeError", "Can't instantiate abstract class {} with abstract method{} {}", cls->name, items.size() == 1 ? "" : "s", list);
            }
            if (cls->construct) {
                args.positional.insert(args.positional.begin(), callee);
                return cls->construct(*this, args);
            }
            if (PyValue make = cls->lookup(new_symbol); !make.is_unbound() && !make.same(builtin_class("object")->attributes.get(new_symbol))) {
                if (const auto* d = make.get_if<DescriptorObject>()) make = d->getter;
                Args with_class = args;
                with_class.positional.insert(with_class.positional.begin(), callee);
                PyValue made = call(make, std::move(with_class));
                if (!isinstance(made, cls)) return made;
                if (PyValue init = cls->lookup(init_symbol); !init.is_unbound()) {
                    args.positional.insert(args.positional.begin(), made);
                    call(init, std::move(args));
                }
                return made;
            }
            auto* instance = heap_.make<InstanceObject>(cls);
            if (cls->is_exception) instance->attributes.set(symbol("args"), tuple(args.positional));
            PyValue self = instance;
            if (PyValue native_base = cls->lookup(symbol("<native>")); !native_base.is_unbound()) {
                // a class that derives from dict, list, …: it holds one
                instance->native = cls->lookup(init_symbol).is_unbound() ? call(native_base, args) : call(native_base);
                if (cls->lookup(init_symbol).is_unbound()) return self;
            }
            PyValue init = cls->lookup(init_symbol);
            if (init.is_unbound()) {
                if (!cls->is_exception && (args.size() > 0 || !args.keywords.empty())) raise_error("TypeError", "{}() takes no arguments", cls->name);
                return self;
            }
            args.positional.insert(args.positional.begin(), self);
            PyValue r = call(init, std::move(args));
            if (!r.is_none()) raise_error("TypeError", "__init__() should return None, not '{}'", type_name(r));
            return self;
        }
        case Kind::Instance: {
            PyValue m = class_of(callee)->lookup(symbol("__call__"));
            if (m.is_unbound()) break;
            args.positional.insert(args.positional.begin(), callee);
            return call(m, std::move(args));
        }
        case Kind::Descriptor: return call(callee.as<DescriptorObject>()->getter, std::move(args));
        default: {
            PyValue m = class_of(callee)->lookup(symbol("__call__"));
            if (!m.is_unbound()) {
                args.positional.insert(args.positional.begin(), callee);
                return call(m, std::move(args));
            }
            if (Protocol* p = protocol_of(callee))
                if (PyValue r = p->call(*this, callee, args); !r.is_unbound()) return r;
            break;
        }
    }
    raise_error("TypeError", "'{}' object is not callable", type_name(callee));
}

// -------------------------------------------------------------------------------- arguments of native functions

ArgReader::ArgReader(Interpreter& in, Args& args, std::string_view signature) {
    size_t open = signature.find('(');
    std::string_view name = signature.substr(0, open), list = signature.substr(open + 1, signature.rfind(')') - open - 1);
    size_t position = 0, required = 0, positional = 0;
    bool keyword_only = false, takes_rest = false;
    std::vector<std::string_view> positional_only;
    std::vector<std::pair<std::string_view, bool>> params;  // name, required
    while (!list.empty()) {
        size_t end = 0;
        int depth = 0;
        while (end < list.size() && (list[end] != ',' || depth)) {
            if (list[end] == '(' || list[end] == '[') ++depth;
            if (list[end] == ')' || list[end] == ']') --depth;
            ++end;
        }
        std::string_view p = list.substr(0, end);
        list = end < list.size() ? list.substr(end + 1) : std::string_view();
        while (!p.empty() && p.front() == ' ') p.remove_prefix(1);
        while (!p.empty() && p.back() == ' ') p.remove_suffix(1);
        if (p == "/") {
            for (const auto& [n, r] : params) positional_only.push_back(n);
            continue;
        }
        if (p == "*") {
            keyword_only = true;
            continue;
        }
        if (p.starts_with("*")) {
            takes_rest = keyword_only = true;
            for (; position < args.size(); ++position) rest_.push_back(args[position]);
            continue;
        }
        size_t eq = p.find('=');
        std::string_view n = p.substr(0, eq);
        bool needed = eq == std::string_view::npos;
        params.emplace_back(n, needed);
        if (!keyword_only) ++positional;
        if (needed) ++required;
        PyValue v;
        if (!keyword_only && position < args.size()) v = args[position++];
        values_.emplace_back(n, v);
    }
    if (position < args.size() && !takes_rest) {
        if (positional == required && positional == 1) in.raise_error("TypeError", "{}() takes exactly one argument ({} given)", name, args.size());
        if (positional == 0) in.raise_error("TypeError", "{}() takes no arguments ({} given)", name, args.size());
        in.raise_error("TypeError", "{}() takes {} {} argument{} ({} given)", name, positional == required ? "exactly" : "at most", positional, positional == 1 ? "" : "s", args.size());
    }
    for (const auto& [key, value] : args.keywords) {
        auto it = std::find_if(values_.begin(), values_.end(), [&, k = key](const auto& v) { return v.first == *k; });
        if (it == values_.end() || std::find(positional_only.begin(), positional_only.end(), *key) != positional_only.end())
            in.raise_error("TypeError", "'{}' is an invalid keyword argument for {}()", *key, name);
        if (!it->second.is_unbound()) in.raise_error("TypeError", "argument for {}() given by name ('{}') and position", name, *key);
        it->second = value;
    }
    for (size_t i = 0; i < params.size(); ++i)
        if (params[i].second && values_[i].second.is_unbound()) {
            if (required == 1 && positional == 1) in.raise_error("TypeError", "{}() takes exactly one argument ({} given)", name, args.size());
            in.raise_error("TypeError", "{}() missing required argument '{}' (pos {})", name, params[i].first, i + 1);
        }
}

PyValue ArgReader::operator[](std::string_view name) const {
    for (const auto& [n, v] : values_)
        if (n == name) return v;
    SIFR_UNREACHABLE("no parameter '{}'", name);
}

}  // namespace sifr::capture
