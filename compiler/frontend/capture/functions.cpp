// Functions and classes written in Python: parameters, frames, generators, class statements, super().
#include <algorithm>
#include <set>

#include "compiler/frontend/capture/generators.h"

namespace sifr::capture {

using namespace syntax;

PyValue Evaluator::make_function(const FunctionDef* def, const Lambda* lambda, const std::string& name, const Parameters& params) {
    auto* f = in_.heap_.make<FunctionObject>();
    f->def = def;
    f->lambda = lambda;
    f->name = name;
    f->qualname = name;
    const NamespaceObject* here_ = frame_->variables;
    if (frame_->scope->kind == ScopeKind::Class) f->qualname = here_->what + "." + name;
    else if (frame_->scope->kind != ScopeKind::Module && !here_->what.empty()) f->qualname = here_->what + ".<locals>." + name;
    f->globals = here_->globals;
    // Names of a class body are not seen from its methods.
    const NamespaceObject* closure = here_;
    while (closure && closure->scope && closure->scope->kind == ScopeKind::Class) closure = closure->parent;
    f->closure = closure == here_->globals ? nullptr : closure;
    params.for_each([&](const Parameter& p) {
        if (p.default_value) f->defaults.emplace(p.name, eval(*p.default_value));
    });
    return f;
}

void Evaluator::exec_function(const FunctionDef& s) {
    here(s.name_span);
    if (s.is_async) throw NotSupported("an async function");
    Values decorators;
    for (const ExprPtr& d : s.decorators) decorators.push_back(eval(*d));
    PyValue f = make_function(&s, nullptr, s.name, s.params);
    for (size_t i = decorators.size(); i-- > 0;) {
        here(s.decorators[i]->span);
        f = in_.call(decorators[i], Values{f});
    }
    store(s.name, f);
}

namespace {

std::string quoted_list(const std::vector<std::string>& names) {
    std::string r;
    for (size_t i = 0; i < names.size(); ++i) {
        if (i) r += names.size() == 2 ? " and " : i + 1 == names.size() ? ", and " : ", ";
        r += "'" + names[i] + "'";
    }
    return r;
}

/// Puts the arguments into the new frame's variables; Python's TypeErrors.
void bind_arguments(Interpreter& in, const FunctionObject& f, const Parameters& params, Args& args, Variables& out) {
    std::vector<const Parameter*> positional;
    for (const Parameter& p : params.positional_only) positional.push_back(&p);
    for (const Parameter& p : params.positional) positional.push_back(&p);
    size_t given = args.size(), taken = std::min(given, positional.size());
    for (size_t i = 0; i < taken; ++i) out.set(symbol(positional[i]->name), args[i]);
    if (given > positional.size() && !params.vararg) {
        size_t defaults = 0;
        for (const Parameter* p : positional) defaults += f.defaults.contains(p->name);
        std::string takes = defaults ? fmt::format("from {} to {}", positional.size() - defaults, positional.size()) : std::to_string(positional.size());
        size_t keyword_only = 0;
        for (const auto& [key, value] : args.keywords)
            for (const Parameter& p : params.keyword_only) keyword_only += p.name == *key;
        std::string were = keyword_only ? fmt::format("{} positional argument{} (and {} keyword-only argument{}) were", given, given == 1 ? "" : "s", keyword_only, keyword_only == 1 ? "" : "s")
                                        : fmt::format("{} {}", given, given == 1 ? "was" : "were");
        in.raise_error("TypeError", "{}() takes {} positional argument{} but {} given", f.qualname, takes, positional.size() == 1 && !defaults ? "" : "s", were);
    }
    if (params.vararg) {
        Values rest;
        for (size_t i = taken; i < given; ++i) rest.push_back(args[i]);
        out.set(symbol(params.vararg->name), in.tuple(std::move(rest)));
    }
    PyValue extra = params.kwarg ? in.dict() : PyValue();
    std::vector<std::string> misplaced;
    for (const auto& [key, value] : args.keywords) {
        const std::string& name = *key;
        bool known = std::any_of(params.positional.begin(), params.positional.end(), [&](const Parameter& p) { return p.name == name; }) ||
                     std::any_of(params.keyword_only.begin(), params.keyword_only.end(), [&](const Parameter& p) { return p.name == name; });
        if (known) {
            if (out.bound(key)) in.raise_error("TypeError", "{}() got multiple values for argument '{}'", f.qualname, name);
            out.set(key, value);
        } else if (params.kwarg) {
            in.dict_set(extra, in.str(name), value);
        } else {
            if (std::any_of(params.positional_only.begin(), params.positional_only.end(), [&](const Parameter& p) { return p.name == name; })) {
                misplaced.push_back(name);
                continue;
            }
            std::vector<std::string> names;
            params.for_each([&](const Parameter& p) { names.push_back(p.name); });
            in.suggest(name, names);
            in.raise_error("TypeError", "{}() got an unexpected keyword argument '{}'", f.qualname, name);
        }
    }
    if (!misplaced.empty()) {
        std::string names;
        for (const std::string& n : misplaced) names += (names.empty() ? "" : ", ") + n;
        in.raise_error("TypeError", "{}() got some positional-only arguments passed as keyword arguments: '{}'", f.qualname, names);
    }
    std::vector<std::string> missing;
    auto fill = [&](const Parameter& p) {
        Symbol s = symbol(p.name);
        if (out.bound(s)) return;
        auto it = f.defaults.find(p.name);
        if (it == f.defaults.end()) missing.push_back(p.name);
        else out.set(s, it->second);
    };
    for (const Parameter* p : positional) fill(*p);
    if (!missing.empty())
        in.raise_error("TypeError", "{}() missing {} required positional argument{}: {}", f.qualname, missing.size(), missing.size() == 1 ? "" : "s", quoted_list(missing));
    for (const Parameter& p : params.keyword_only) fill(p);
    if (!missing.empty())
        in.raise_error("TypeError", "{}() missing {} required keyword-only argument{}: {}", f.qualname, missing.size(), missing.size() == 1 ? "" : "s", quoted_list(missing));
    if (params.kwarg) out.set(symbol(params.kwarg->name), extra);
}

/// Restores the frame, the depth and the location when a call ends, however it ends.
class FrameGuard {
public:
    FrameGuard(Frame*& slot, Frame& frame, int64_t& depth, Span& span) : slot_(slot), depth_(depth), span_(span), outer_(slot), saved_span_(span) {
        frame.caller = slot;
        slot = &frame;
        ++depth;
    }
    ~FrameGuard() {
        slot_ = outer_;
        --depth_;
        // An exception keeps the place where it was raised.
        if (std::uncaught_exceptions() == exceptions_) span_ = saved_span_;
    }
    FrameGuard(const FrameGuard&) = delete;
    FrameGuard& operator=(const FrameGuard&) = delete;

private:
    Frame*& slot_;
    int64_t& depth_;
    Span& span_;
    Frame* outer_;
    Span saved_span_;
    int exceptions_ = std::uncaught_exceptions();
};

}  // namespace

PyValue Evaluator::call_function(const FunctionObject* f, Args& args) {
    const Parameters& params = f->def ? f->def->params : f->lambda->params;
    const Source* source = source_of_file_.at(f->def ? f->def->span.file : f->lambda->span.file);
    const Scope& scope = f->def ? source->scopes->of(*f->def) : source->scopes->of(*f->lambda);
    auto* variables = in_.heap_.make<NamespaceObject>();
    variables->what = f->qualname;
    variables->scope = &scope;
    variables->parent = f->closure;
    variables->globals = f->globals;
    bind_arguments(in_, *f, params, args, variables->variables);
    if (in_.depth_ >= in_.options_.recursion_limit) in_.raise_error("RecursionError", "maximum recursion depth exceeded");
    PyValue self;
    if (!params.positional_only.empty()) self = variables->variables.get(symbol(params.positional_only[0].name));
    else if (!params.positional.empty()) self = variables->variables.get(symbol(params.positional[0].name));
    auto make_frame = [variables, &scope, f, self] {
        Frame frame;
        frame.variables = variables;
        frame.scope = &scope;
        frame.function = f;
        frame.self = self;
        return frame;
    };
    if (scope.has_yield && f->def)
        return make_generator([this, make_frame, variables, f](GeneratorCall& g) {
            Frame frame = make_frame();
            frame.generator = &g;
            FrameGuard guard(frame_, frame, in_.depth_, in_.user_span_);
            Completion c = exec(f->def->body);
            if (c == Completion::Mixed) throw NotSupported("a generator that returns under a run-time condition");
            return c == Completion::Return ? variables->variables.get(result_symbol) : PyValue::none();
        });
    Frame frame = make_frame();
    FrameGuard guard(frame_, frame, in_.depth_, in_.user_span_);
    if (f->lambda) return eval(*f->lambda->body);
    Completion c = exec(f->def->body);
    if (c == Completion::Normal) return PyValue::none();
    PyValue result = variables->variables.get(result_symbol);
    if (const auto* o = result.get_if<OptionalObject>(); o && o->absent == Kind::Unbound) result = o->value;  // there on every path that returned
    if (c == Completion::Mixed && !result.is_none()) {
        // On the paths that ran off the end, the result is None.
        PyValue how = variables->variables.get(completion_symbol);
        auto* o = in_.heap_.make<OptionalObject>();
        o->present = in_.builder().emit("ine"_op, {in_.to_ir(how), in_.function_.add_constant(int64_t{0})});
        o->value = result;
        if (const auto* inner = result.get_if<OptionalObject>()) {
            o->present = in_.builder().emit("band"_op, {o->present, inner->present});
            o->value = inner->value;
        }
        return o;
    }
    if (result.is(Kind::Unusable)) unusable(result);
    return result;
}

PyValue Evaluator::super_call() {
    // The nearest frame that is a method; its class is where the function was defined.
    for (Frame* f = frame_; f; f = f->caller) {
        if (!f->function) continue;
        if (!f->function->defining_class) break;
        return in_.heap_.make<SuperObject>(f->function->defining_class, f->self);
    }
    in_.raise_error("RuntimeError", "super(): no arguments");
}

// ------------------------------------------------------------------------------------------------ classes

namespace {

/// C3: the order in which the bases' attributes are looked up.
std::vector<const ClassObject*> linearize(Interpreter& in, const ClassObject* cls) {
    std::vector<std::vector<const ClassObject*>> lists;
    for (const ClassObject* b : cls->bases) lists.push_back(b->mro);
    lists.push_back(cls->bases);
    std::vector<const ClassObject*> mro{cls};
    for (;;) {
        std::erase_if(lists, [](const auto& l) { return l.empty(); });
        if (lists.empty()) return mro;
        const ClassObject* next = nullptr;
        for (const auto& l : lists) {
            bool in_a_tail = std::any_of(lists.begin(), lists.end(), [&](const auto& other) { return std::find(other.begin() + 1, other.end(), l[0]) != other.end(); });
            if (!in_a_tail) {
                next = l[0];
                break;
            }
        }
        if (!next) {
            std::string names;
            for (const ClassObject* b : cls->bases) names += (names.empty() ? "" : ", ") + b->name;
            in.raise_error("TypeError", "Cannot create a consistent method resolution\norder (MRO) for bases {}", names);
        }
        mro.push_back(next);
        for (auto& l : lists)
            if (l[0] == next) l.erase(l.begin());
    }
}

const Symbol metaclass_symbol = symbol("<metaclass>");

/// Keeps the names of the methods that are still abstract, for classes under `abc.ABC`.
void note_abstract_methods(Interpreter& in, ClassObject* cls) {
    PyValue meta = cls->lookup(metaclass_symbol);
    if (!meta.is(Kind::Class) || meta.as<ClassObject>()->name != "ABCMeta") return;
    std::set<std::string> names;
    for (const ClassObject* k : cls->mro)
        for (const auto& [name, value] : k->attributes.entries) {
            PyValue f = cls->lookup(name);
            if (const auto* d = f.get_if<DescriptorObject>()) f = d->getter;
            const auto* function = f.get_if<FunctionObject>();
            if (function && !function->attributes.get(symbol("__isabstractmethod__")).is_unbound()) names.insert(*name);
        }
    Values items;
    for (const std::string& n : names) items.push_back(in.str(n));
    cls->attributes.set(symbol("__abstractmethods__"), in.tuple(std::move(items)));
}

}  // namespace

PyValue Evaluator::metaclass_method(const ClassObject* cls, std::string_view name) {
    PyValue meta = cls->lookup(metaclass_symbol);
    return meta.is(Kind::Class) ? meta.as<ClassObject>()->lookup(symbol(name)) : PyValue();
}

void Evaluator::exec_class(const ClassDef& s) {
    Values decorators;
    for (const ExprPtr& d : s.decorators) decorators.push_back(eval(*d));
    auto* cls = in_.heap_.make<ClassObject>();
    cls->name = s.name;
    for (const ExprPtr& b : s.bases) {
        PyValue base = eval(*b);
        here(*b);
        if (!base.is(Kind::Class)) in_.raise_error("TypeError", "bases must be types");
        cls->bases.push_back(base.as<ClassObject>());
    }
    for (const Keyword& k : s.keywords) {
        if (k.name != "metaclass") throw NotSupported(fmt::format("the class keyword '{}'", k.name));
        PyValue meta = eval(*k.value);
        here(*k.value);
        if (!meta.is(Kind::Class)) throw NotSupported("a metaclass that is not a class");
        for (const char* name : {"__new__", "__init__", "__prepare__"})
            if (!meta.as<ClassObject>()->attributes.get(symbol(name)).is_unbound()) throw NotSupported(fmt::format("a metaclass with a method {}()", name), "use `__init_subclass__` or a decorator");
        cls->attributes.set(metaclass_symbol, meta);
    }
    if (cls->bases.empty()) cls->bases = {in_.builtin_class("object")};
    here(s.name_span);
    cls->mro = linearize(in_, cls);
    PyValue module = frame_->variables->globals->variables.get(symbol("__name__"));
    cls->module = module.is(Kind::Str) ? module.as<StrObject>()->text : "__main__";
    const Source* source = source_of_file_.at(s.span.file);
    const Scope& scope = source->scopes->of(s);
    auto* variables = in_.heap_.make<NamespaceObject>();
    variables->what = s.name;
    if (frame_->scope->kind == ScopeKind::Class) variables->what = frame_->variables->what + "." + s.name;
    else if (frame_->scope->kind != ScopeKind::Module) variables->what = frame_->variables->what + ".<locals>." + s.name;
    cls->qualname = variables->what;
    variables->scope = &scope;
    variables->parent = frame_->variables;
    variables->globals = frame_->variables->globals;
    for (const ClassObject* c : cls->mro) {
        if (c->is_exception) cls->is_exception = true;
        if (c->protocol && !cls->protocol) cls->protocol = c->protocol;
        if (c->construct && !cls->construct && c != in_.builtin_class("object")) {
            // dict, list, …: an instance holds one. Others (Tensor, autograd.Function) make their own instances.
            static const char* held[] = {"dict", "list", "set", "str", "int", "float", "OrderedDict", "defaultdict", "Counter", "tuple"};
            if (std::find(std::begin(held), std::end(held), c->name) != std::end(held)) {
                if (cls->lookup(symbol("<native>")).is_unbound()) cls->attributes.set(symbol("<native>"), c);
            } else {
                cls->construct = c->construct;
            }
        }
    }
    Frame frame;
    frame.variables = variables;
    frame.scope = &scope;
    {
        FrameGuard guard(frame_, frame, in_.depth_, in_.user_span_);
        exec(s.body);
    }
    for (const auto& [name, value] : variables->variables.entries) {
        if (value.is_unbound() || name == completion_symbol || name == result_symbol) continue;
        cls->attributes.set(name, value);
        auto own = [&](PyValue v) {
            if (const auto* f = v.get_if<FunctionObject>(); f && !f->defining_class) in_.heap_.change(f).defining_class = cls;
        };
        own(value);
        if (const auto* d = value.get_if<DescriptorObject>()) own(d->getter), own(d->setter), own(d->deleter);
    }
    if (const Constant* doc = docstring(s.body)) cls->attributes.set(symbol("__doc__"), in_.str(doc->text));
    for (size_t i = 1; i < cls->mro.size(); ++i)
        if (PyValue hook = cls->mro[i]->attributes.get(symbol("__init_subclass__")); !hook.is_unbound()) {
            if (const auto* d = hook.get_if<DescriptorObject>()) hook = d->getter;
            in_.call(hook, Values{PyValue(cls)});
            break;
        }
    for (const auto& [name, value] : variables->variables.entries)
        if (value.is(Kind::Instance))
            if (PyValue hook = in_.class_of(value)->lookup(symbol("__set_name__")); !hook.is_unbound()) in_.call(hook, Values{value, PyValue(cls), in_.str(*name)});
    note_abstract_methods(in_, cls);
    PyValue result = cls;
    for (size_t i = decorators.size(); i-- > 0;) {
        here(s.decorators[i]->span);
        result = in_.call(decorators[i], Values{result});
    }
    store(s.name, result);
}

}  // namespace sifr::capture
