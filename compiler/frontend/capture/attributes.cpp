// Classes, attributes and isinstance.
#include <algorithm>

#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/interpreter.h"
#include "compiler/frontend/capture/tables.h"

namespace sifr::capture {

const ClassObject* Interpreter::builtin_class(std::string_view name) {
    auto it = tables_->classes.find(name);
    return it == tables_->classes.end() ? nullptr : it->second;
}

ClassObject* Interpreter::add_class(const std::string& name, const std::string& module, const ClassObject* base, Protocol* protocol) {
    auto* c = heap_.make<ClassObject>();
    c->name = c->qualname = name;
    c->module = module;
    if (!base) base = tables_->object;
    if (base) {
        c->bases = {base};
        c->mro = {c};
        c->mro.insert(c->mro.end(), base->mro.begin(), base->mro.end());
        c->construct = base->construct;
        c->is_exception = base->is_exception;
        c->protocol = base->protocol;
    } else {
        c->mro = {c};
    }
    if (protocol) c->protocol = protocol;
    if (module == "builtins") tables_->classes.emplace(name, c);
    return c;
}

void Interpreter::add_method(const ClassObject* cls, const std::string& name, NativeCode code) {
    heap_.change(cls).attributes.set(symbol(name), cls->overridable ? overridable(name, std::move(code)) : native(name, std::move(code)));
}
void Interpreter::add_static_method(const ClassObject* cls, const std::string& name, NativeCode code) {
    auto* d = heap_.make<DescriptorObject>(DescriptorObject::What::StaticMethod, native(name, std::move(code)));
    heap_.change(cls).attributes.set(symbol(name), d);
}
void Interpreter::add_property(const ClassObject* cls, const std::string& name, NativeCode getter, NativeCode setter) {
    auto* d = heap_.make<DescriptorObject>(DescriptorObject::What::Property, native(name, std::move(getter)));
    if (setter) d->setter = native(name, std::move(setter));
    heap_.change(cls).attributes.set(symbol(name), d);
}

const ClassObject* Interpreter::class_of(PyValue v) {
    switch (v.kind()) {
        case Kind::Tuple: return v.as<TupleObject>()->cls;
        case Kind::Dict:
            if (const ClassObject* c = v.as<DictObject>()->cls) return c;
            break;
        case Kind::Set:
            if (v.as<SetObject>()->frozen) return builtin_class("frozenset");
            break;
        case Kind::Instance: return v.as<InstanceObject>()->cls;
        case Kind::Native: return static_cast<const NativeObject*>(v.object())->cls;
        case Kind::Tensor:
            if (const ClassObject* c = v.as<TensorObject>()->cls) return c;
            break;
        case Kind::Dynamic:
            switch (v.scalar()) {
                case Type::Kind::I64: return kind_classes_[static_cast<size_t>(Kind::Int)];
                case Type::Kind::F64: return kind_classes_[static_cast<size_t>(Kind::Float)];
                case Type::Kind::Bool: return kind_classes_[static_cast<size_t>(Kind::Bool)];
                default: return kind_classes_[static_cast<size_t>(Kind::Str)];
            }
        case Kind::Descriptor: {
            auto what = v.as<DescriptorObject>()->what;
            return builtin_class(what == DescriptorObject::What::Property ? "property" : what == DescriptorObject::What::StaticMethod ? "staticmethod" : "classmethod");
        }
        case Kind::Iterator: {
            const std::string& name = v.as<IteratorObject>()->type_name;
            auto it = tables_->iterators.find(name);
            if (it != tables_->iterators.end()) return it->second;
            const ClassObject* c = add_class(name, "iterators", nullptr, nullptr);
            add_method(c, "__next__", [](Interpreter& in, Args& args) {
                PyValue item = in.next(args[0]);
                if (item.is_unbound()) in.raise_error("StopIteration", "");
                return item;
            });
            add_method(c, "__iter__", [](Interpreter&, Args& args) { return args[0]; });
            if (name == "generator") evaluator_->add_generator_methods(c);
            tables_->iterators.emplace(name, c);
            return c;
        }
        case Kind::Optional: return class_of(v.as<OptionalObject>()->value);
        case Kind::Unusable: evaluator_->unusable(v);
        case Kind::RunTimeList: return builtin_class("list");
        default: break;
    }
    const ClassObject* c = kind_classes_[static_cast<size_t>(v.kind())];
    SIFR_CHECK(c, "no class for values of kind {}", static_cast<int>(v.kind()));
    return c;
}

std::string Interpreter::type_name(PyValue v) {
    if (v.is_unbound()) return "unbound";
    return class_of(v)->name;
}

bool Interpreter::isinstance(PyValue v, const ClassObject* cls) {
    if (class_of(v)->derives_from(cls)) return true;
    // A property `__class__` lets an instance pass for one of another class.
    if (!v.is(Kind::Instance)) return false;
    static const Symbol class_symbol = symbol("__class__");
    const PyValue own = class_of(v)->lookup(class_symbol);
    if (!own.is(Kind::Descriptor)) return false;
    const PyValue shown = find_attr(v, class_symbol);
    return shown.is(Kind::Class) && shown.as<ClassObject>()->derives_from(cls);
}

// -------------------------------------------------------------------------------------------- attributes

namespace {

/// What `object.name` gives for something found in the class.
PyValue bind(Interpreter& in, PyValue found, PyValue self, const ClassObject* cls) {
    switch (found.kind()) {
        case Kind::Function:
        case Kind::NativeFunction:
            return in.heap().make<BoundMethodObject>(self, found);
        case Kind::Descriptor: {
            const auto* d = found.as<DescriptorObject>();
            switch (d->what) {
                case DescriptorObject::What::Property: return in.call(d->getter, Values{self});
                case DescriptorObject::What::StaticMethod: return d->getter;
                case DescriptorObject::What::ClassMethod: return in.heap().make<BoundMethodObject>(PyValue(cls), d->getter);
            }
            break;
        }
        default: break;
    }
    return found;
}

bool is_native_kind(Kind k) { return k != Kind::Instance && k != Kind::Module && k != Kind::Class && k != Kind::Function; }

}  // namespace

PyValue Interpreter::find_attr(PyValue object, Symbol name) {
    if (object.is(Kind::Unusable)) evaluator_->unusable(object);
    if (object.is(Kind::Optional)) object = evaluator_->present(object, fmt::format("AttributeError: 'NoneType' object has no attribute '{}'", *name));
    static const Symbol class_symbol = symbol("__class__"), dict_symbol = symbol("__dict__"), name_symbol = symbol("__name__"),
                        qualname_symbol = symbol("__qualname__"), doc_symbol = symbol("__doc__"), module_symbol = symbol("__module__"),
                        func_symbol = symbol("__func__"), self_symbol = symbol("__self__"), bases_symbol = symbol("__bases__"), mro_symbol = symbol("__mro__"),
                        getattr_symbol = symbol("__getattr__");
    if (object.is(Kind::Module)) {
        const auto* m = object.as<ModuleObject>();
        if (PyValue v = m->variables->variables.get(name); !v.is_unbound()) return v;
        // a submodule that is imported by its full name only
        if (tables_->modules.contains(m->name + "." + *name)) return PyValue(import(m->name + "." + *name));
        if (m->missing)
            if (PyValue v = m->missing(*this, name); !v.is_unbound()) return v;
        if (name == name_symbol) return str(m->name);
        return {};
    }
    if (object.is(Kind::Class)) {
        const auto* c = object.as<ClassObject>();
        for (const ClassObject* k : c->mro)
            if (PyValue v = k->attributes.get(name); !v.is_unbound()) {
                if (const auto* d = v.get_if<DescriptorObject>()) {
                    if (d->what == DescriptorObject::What::StaticMethod) return d->getter;
                    if (d->what == DescriptorObject::What::ClassMethod) return heap_.make<BoundMethodObject>(object, d->getter);
                }
                if (v.is(Kind::Instance))
                    if (PyValue getter = class_of(v)->lookup(symbol("__get__")); !getter.is_unbound()) return call(getter, Values{v, PyValue::none(), object});
                return v;
            }
        if (name == name_symbol) return str(c->name);
        if (name == qualname_symbol) return str(c->qualname);
        if (name == module_symbol) return str(c->module);
        if (name == class_symbol) return PyValue(tables_->type);
        if (name == doc_symbol) return PyValue::none();
        if (name == dict_symbol) {
            PyValue d = dict();
            for (const auto& [key, value] : c->attributes.entries)
                if (!value.is_unbound() && key->front() != '<') dict_set(d, str(*key), value);
            return d;
        }
        if (name == bases_symbol || name == mro_symbol) {
            Values items;
            for (const ClassObject* k : name == mro_symbol ? c->mro : c->bases) items.emplace_back(k);
            return tuple(std::move(items));
        }
        if (c->protocol && c->construct)
            if (PyValue v = c->protocol->get_attr(*this, object, name); !v.is_unbound()) return v;
        return {};
    }
    if (object.is(Kind::Super)) {
        const auto* s = object.as<SuperObject>();
        const ClassObject* cls = s->self.is(Kind::Class) ? s->self.as<ClassObject>() : class_of(s->self);
        auto it = std::find(cls->mro.begin(), cls->mro.end(), s->after);
        if (it != cls->mro.end()) ++it;
        for (; it != cls->mro.end(); ++it)
            if (PyValue v = (*it)->attributes.get(name); !v.is_unbound()) {
                if (s->self.is(Kind::Class) && v.is(Kind::Function)) return v;
                return bind(*this, v, s->self, cls);
            }
        if (*name == "__init__" || *name == "__init_subclass__" || *name == "__post_init__") {
            // object's own; or that of a built-in class whose instance this one holds
            PyValue self = s->self, make = *name == "__init__" ? cls->lookup(symbol("<native>")) : PyValue();
            return native(*name, [self, make](Interpreter& in, Args& args) {
                if (!make.is_unbound() && self.is(Kind::Instance)) in.heap().change(self.as<InstanceObject>()).native = in.call(make, args);
                return PyValue::none();
            });
        }
        if (const auto* i = s->self.get_if<InstanceObject>(); i && !i->native.is_unbound()) return find_attr(i->native, name);
        return {};
    }
    const ClassObject* cls = class_of(object);
    PyValue found = cls->lookup(name);
    if (const auto* d = found.get_if<DescriptorObject>(); d && d->what == DescriptorObject::What::Property) return bind(*this, found, object, cls);
    // A descriptor of the script's own: one that can be set goes before the instance's attributes, another one behind them.
    static const Symbol get_symbol = symbol("__get__"), set_symbol = symbol("__set__");
    const PyValue getter = found.is(Kind::Instance) && object.is(Kind::Instance) ? class_of(found)->lookup(get_symbol) : PyValue();
    if (!getter.is_unbound() && !class_of(found)->lookup(set_symbol).is_unbound()) return call(getter, Values{found, object, PyValue(cls)});
    if (const auto* i = object.get_if<InstanceObject>())
        if (PyValue v = i->attributes.get(name); !v.is_unbound()) return evaluator_->usable_slot(v, object, name);
    if (const auto* f = object.get_if<FunctionObject>())
        if (PyValue v = f->attributes.get(name); !v.is_unbound()) return v;
    if (const auto* t = object.get_if<TensorObject>())
        if (PyValue v = t->attributes.get(name); !v.is_unbound()) return v;
    if (!getter.is_unbound()) return call(getter, Values{found, object, PyValue(cls)});
    if (!found.is_unbound()) return bind(*this, found, object, cls);
    if (cls->protocol && !object.is(Kind::Instance))
        if (PyValue v = cls->protocol->get_attr(*this, object, name); !v.is_unbound()) return v;
    if (name == class_symbol) return PyValue(cls);
    if (name == dict_symbol && object.is(Kind::Instance)) {
        PyValue d = dict();
        for (const auto& [key, value] : object.as<InstanceObject>()->attributes.entries)
            if (!value.is_unbound() && key->front() != '<') dict_set(d, str(*key), value);
        return d;
    }
    if (name == doc_symbol) {
        if (const auto* f = object.get_if<FunctionObject>(); f && f->def)
            if (const syntax::Constant* c = syntax::docstring(f->def->body)) return str(c->text);
        return PyValue::none();
    }
    if (name == module_symbol && object.is(Kind::Instance)) return str(cls->module);
    if (const auto* f = object.get_if<FunctionObject>()) {
        if (name == name_symbol) return str(f->name);
        if (name == qualname_symbol) return str(f->qualname);
        if (name == module_symbol) return f->globals->variables.get(symbol("__name__"));
    }
    if (const auto* f = object.get_if<NativeFunctionObject>())
        if (name == name_symbol || name == qualname_symbol) return str(f->name);
    if (const auto* b = object.get_if<BoundMethodObject>()) {
        if (name == func_symbol) return b->function;
        if (name == self_symbol) return b->self;
        return find_attr(b->function, name);
    }
    if (const auto* d = object.get_if<DescriptorObject>(); d && d->what == DescriptorObject::What::Property) {
        auto* self = const_cast<DescriptorObject*>(d);
        auto with = [this, self](PyValue DescriptorObject::*member) {
            return native("setter", [self, member](Interpreter& in, Args& args) {
                auto* copy = in.heap().make<DescriptorObject>(*self);
                copy->*member = args[0];
                return PyValue(copy);
            });
        };
        if (*name == "setter") return with(&DescriptorObject::setter);
        if (*name == "getter") return with(&DescriptorObject::getter);
        if (*name == "deleter") return with(&DescriptorObject::deleter);
    }
    if (const auto* r = object.get_if<RangeObject>()) {
        if (*name == "start") return r->start;
        if (*name == "stop") return r->stop;
        if (*name == "step") return r->step;
    }
    if (const auto* s = object.get_if<SliceObject>()) {
        if (*name == "start") return s->start;
        if (*name == "stop") return s->stop;
        if (*name == "step") return s->step;
    }
    if (object.is(Kind::Instance)) {
        if (PyValue hook = cls->lookup(getattr_symbol); !hook.is_unbound()) return call(hook, Values{object, str(*name)});
        // a native base's attributes, on what it holds
        const auto* i = object.as<InstanceObject>();
        if (!i->native.is_unbound()) return find_attr(i->native, name);
    }
    return {};
}

void Interpreter::suggest(const std::string& name, const std::vector<std::string>& candidates) {
    std::string near = nearest_name(name, candidates);
    help_ = near.empty() ? "" : fmt::format("did you mean '{}'?", near);
}

void Interpreter::no_attribute(PyValue object, Symbol name) {
    suggest(*name, attribute_names(object));
    if (const auto* m = object.get_if<ModuleObject>()) raise_error("AttributeError", "module '{}' has no attribute '{}'", m->name, *name);
    if (const auto* c = object.get_if<ClassObject>()) raise_error("AttributeError", "type object '{}' has no attribute '{}'", c->name, *name);
    if (object.is(Kind::Super)) raise_error("AttributeError", "'super' object has no attribute '{}'", *name);
    raise_error("AttributeError", "'{}' object has no attribute '{}'", type_name(object), *name);
}

PyValue Interpreter::get_attr(PyValue object, Symbol name) {
    PyValue v = find_attr(object, name);
    if (v.is_unbound()) no_attribute(object, name);
    return v;
}

void Interpreter::set_attr(PyValue object, Symbol name, PyValue value) {
    if (object.is(Kind::Unusable)) evaluator_->unusable(object);
    if (object.is(Kind::Optional)) object = evaluator_->present(object, fmt::format("AttributeError: 'NoneType' object has no attribute '{}'", *name));
    if (const auto* m = object.get_if<ModuleObject>()) return heap_.set_variable(m->variables, name, value);
    if (const auto* c = object.get_if<ClassObject>()) {
        heap_.change(c).attributes.set(name, value);
        return;
    }
    const ClassObject* cls = class_of(object);
    PyValue found = cls->lookup(name);
    if (const auto* d = found.get_if<DescriptorObject>(); d && d->what == DescriptorObject::What::Property) {
        if (d->setter.is_unbound()) raise_error("AttributeError", "property '{}' of '{}' object has no setter", *name, cls->name);
        call(d->setter, Values{object, value});
        return;
    }
    if (found.is(Kind::Instance) && object.is(Kind::Instance))
        if (PyValue setter = class_of(found)->lookup(symbol("__set__")); !setter.is_unbound()) {
            call(setter, Values{found, object, value});
            return;
        }
    if (object.is(Kind::Instance)) {
        static const Symbol setattr_symbol = symbol("__setattr__");
        if (PyValue hook = cls->lookup(setattr_symbol); hook.is(Kind::Function)) {
            call(hook, Values{object, str(*name), value});
            return;
        }
        if (*name == "__class__" && value.is(Kind::Class)) {
            heap_.change(object.as<InstanceObject>()).cls = value.as<ClassObject>();
            return;
        }
        heap_.change(object.as<InstanceObject>()).attributes.set(name, value);
        return;
    }
    if (const auto* f = object.get_if<FunctionObject>()) {
        heap_.change(f).attributes.set(name, value);
        return;
    }
    if (cls->protocol && cls->protocol->set_attr(*this, object, name, value)) return;
    if (const auto* t = object.get_if<TensorObject>()) {
        heap_.change(t).attributes.set(name, value);
        return;
    }
    if (is_native_kind(object.kind()) && !found.is_unbound()) raise_error("AttributeError", "'{}' object attribute '{}' is read-only", cls->name, *name);
    no_attribute(object, name);
}

void Interpreter::del_attr(PyValue object, Symbol name) {
    if (const auto* i = object.get_if<InstanceObject>()) {
        static const Symbol delattr_symbol = symbol("__delattr__");
        if (PyValue hook = i->cls->lookup(delattr_symbol); hook.is(Kind::Function)) {
            call(hook, Values{object, str(*name)});
            return;
        }
        if (!i->attributes.bound(name)) no_attribute(object, name);
        heap_.change(i).attributes.set(name, {});
        return;
    }
    if (const auto* c = object.get_if<ClassObject>(); c && c->attributes.bound(name)) {
        heap_.change(c).attributes.set(name, {});
        return;
    }
    if (Protocol* p = protocol_of(object); p && p->del_attr(*this, object, name)) return;
    if (const auto* t = object.get_if<TensorObject>(); t && t->attributes.bound(name)) {
        heap_.change(t).attributes.set(name, {});
        return;
    }
    no_attribute(object, name);
}

std::vector<std::string> Interpreter::attribute_names(PyValue object) {
    std::vector<std::string> names;
    auto add = [&](const Variables& v) {
        for (const auto& [key, value] : v.entries)
            if (!value.is_unbound() && key->front() != '<' && std::find(names.begin(), names.end(), *key) == names.end()) names.push_back(*key);
    };
    if (const auto* m = object.get_if<ModuleObject>()) {
        add(m->variables->variables);
        return names;
    }
    if (const auto* i = object.get_if<InstanceObject>()) add(i->attributes);
    if (object.is(Kind::Super) || object.is_unbound()) return names;
    const ClassObject* cls = object.is(Kind::Class) ? object.as<ClassObject>() : class_of(object);
    for (const ClassObject* c : cls->mro) add(c->attributes);
    return names;
}

// -------------------------------------------------------------------------------------------- modules

void Interpreter::add_module(const std::string& name, FillModule fill) { tables_->modules[name] = {std::move(fill), {}, {}, false, nullptr}; }

void Interpreter::add_prelude(const std::string& name, std::string path, std::string text, FillModule fill) {
    tables_->modules[name] = {std::move(fill), std::move(path), std::move(text), true, nullptr};
}

void Interpreter::add_builtin(const std::string& name, PyValue v) { heap_.set_variable(tables_->builtins, symbol(name), v); }

const ModuleObject* Interpreter::import(const std::string& name) {
    auto it = tables_->modules.find(name);
    if (const size_t dot = name.rfind('.');
        it == tables_->modules.end() && dot != std::string::npos && tables_->modules.count(name.substr(0, dot))) {
        import(name.substr(0, dot));  // a module may bring others inside of it
        it = tables_->modules.find(name);
    }
    if (it == tables_->modules.end()) {
        // Modules that exist in the world are not supported; others Python does not find either.
        static const char* elsewhere[] = {"numpy", "re", "matplotlib", "pandas", "sklearn", "scipy", "torchvision", "torchaudio", "tqdm", "pickle", "csv",
                                          "pathlib", "datetime", "logging", "threading", "multiprocessing", "subprocess", "asyncio", "struct", "glob", "shutil", "tempfile",
                                          "decimal", "fractions", "array", "io", "gc", "inspect", "platform", "textwrap", "pprint", "queue", "socket", "unittest",
                                          "uuid", "hashlib", "secrets", "signal", "types", "weakref", "importlib", "traceback", "transformers", "einops", "torch"};
        std::string head = name.substr(0, name.find('.'));
        bool exists = std::any_of(std::begin(elsewhere), std::end(elsewhere), [&](const char* m) { return head == m; });
        if (!exists) raise_error("ModuleNotFoundError", "No module named '{}'", head);
        std::vector<std::string> known;
        for (const auto& [key, source] : tables_->modules) known.push_back(key);
        std::string near = nearest_name(name, known);
        throw NotSupported(fmt::format("the module '{}'", name), near.empty() ? "scripts may import torch and its submodules, math, time, sys, functools, itertools, collections"
                                                                              : fmt::format("did you mean '{}'?", near));
    }
    Tables::ModuleSource& source = it->second;
    if (source.made) return source.made;
    auto* variables = heap_.make<NamespaceObject>();
    variables->what = name;
    variables->globals = variables;
    auto* module = heap_.make<ModuleObject>(name, variables);
    source.made = module;
    variables->variables.set(symbol("__name__"), str(name));
    if (source.fill) source.fill(*this, module);
    if (source.prelude) evaluator_->run_prelude(source.path, source.text, variables);
    // `import a.b` makes `b` an attribute of `a`
    if (size_t dot = name.rfind('.'); dot != std::string::npos) {
        const ModuleObject* parent = import(name.substr(0, dot));
        if (!parent->variables->variables.bound(symbol(name.substr(dot + 1)))) heap_.set_variable(parent->variables, symbol(name.substr(dot + 1)), module);
    }
    return source.made;
}

}  // namespace sifr::capture
