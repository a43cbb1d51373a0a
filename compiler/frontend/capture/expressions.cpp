// Expressions, names and assignment targets.
#include <algorithm>

#include "compiler/frontend/capture/generators.h"
#include "compiler/frontend/capture/loops.h"
#include "compiler/frontend/capture/tables.h"

namespace sifr::capture {

using namespace syntax;

// -------------------------------------------------------------------------------------------------- names

const NamespaceObject* Evaluator::owner(const std::string& id, bool store) {
    const NamespaceObject* v = frame_->variables;
    Binding binding = frame_->scope->binding(id);
    if (binding == Binding::Global) return v->globals;
    if (binding == Binding::Local) return v;
    // The nearest enclosing call whose scope binds it. Class bodies in between are passed over.
    for (const NamespaceObject* n = v->parent; n; n = n->parent) {
        if (!n->scope || n->scope->kind == ScopeKind::Class) continue;
        if (n->scope->binding(id) == Binding::Local) return n;
    }
    (void)store;
    return v->globals;
}

void Evaluator::unbound_name(const std::string& id, Binding binding) {
    if (binding == Binding::Local && frame_->scope->kind != ScopeKind::Module && frame_->scope->kind != ScopeKind::Class)
        in_.raise_error("UnboundLocalError", "cannot access local variable '{}' where it is not associated with a value", id);
    if (binding == Binding::Free)
        in_.raise_error("NameError", "cannot access free variable '{}' where it is not associated with a value in enclosing scope", id);
    std::vector<std::string> known;
    for (const NamespaceObject* n = frame_->variables; n; n = n->parent)
        for (const auto& [key, value] : n->variables.entries)
            if (!value.is_unbound()) known.push_back(*key);
    for (const NamespaceObject* n : {frame_->variables->globals, in_.tables_->builtins})
        for (const auto& [key, value] : n->variables.entries)
            if (!value.is_unbound()) known.push_back(*key);
    in_.suggest(id, known);
    in_.raise_error("NameError", "name '{}' is not defined", id);
}

PyValue Evaluator::load(const Name& name) {
    const NamespaceObject* n = owner(name.id, false);
    Symbol s = symbol(name.id);
    PyValue v = n->variables.get(s);
    if (v.is(Kind::Unusable) || v.is(Kind::Optional)) {
        here(name);
        return usable(v, name.id, n);
    }
    if (!v.is_unbound()) return v;
    Binding binding = frame_->scope->binding(name.id);
    if (binding == Binding::Local && frame_->scope->kind == ScopeKind::Class) {
        v = frame_->variables->globals->variables.get(s);
        if (!v.is_unbound()) return v;
    }
    if (binding == Binding::Global || frame_->scope->kind == ScopeKind::Module || frame_->scope->kind == ScopeKind::Class) {
        v = in_.tables_->builtins->variables.get(s);
        if (!v.is_unbound()) return v;
    }
    here(name);
    unbound_name(name.id, binding);
}

PyValue Evaluator::usable(PyValue v, const std::string& id, const NamespaceObject* n) {
    if (v.is(Kind::Unusable)) return usable_slot(v, n, symbol(id));
    const auto* o = v.as<OptionalObject>();
    if (o->absent == Kind::None) return v;
    bool local = frame_->scope->kind != ScopeKind::Module && frame_->scope->kind != ScopeKind::Class && frame_->scope->binding(id) == Binding::Local;
    std::string text = local ? fmt::format("cannot access local variable '{}' where it is not associated with a value", id) : fmt::format("name '{}' is not defined", id);
    in_.check(PyValue::dynamic(o->present, Type::Kind::Bool), local ? "UnboundLocalError" : "NameError", text);
    // From here on, on this path, it is there.
    in_.heap_.set_variable(n, symbol(id), o->value);
    return o->value;
}

void Evaluator::store(const std::string& id, PyValue value) { in_.heap_.set_variable(owner(id, true), symbol(id), value); }

void Evaluator::remove(const std::string& id) {
    const NamespaceObject* n = owner(id, true);
    if (!n->variables.bound(symbol(id))) unbound_name(id, frame_->scope->binding(id));
    in_.heap_.set_variable(n, symbol(id), {});
}

// -------------------------------------------------------------------------------------------- expressions

PyValue Evaluator::constant(const Constant& c) {
    switch (c.constant) {
        case ConstantKind::None: return PyValue::none();
        case ConstantKind::True: return PyValue::boolean(true);
        case ConstantKind::False: return PyValue::boolean(false);
        case ConstantKind::Ellipsis: return PyValue::ellipsis();
        case ConstantKind::Int: return c.fits_int64 ? PyValue::integer(c.integer) : in_.integer(*BigInt::parse(c.text));
        case ConstantKind::Float: return PyValue::real(c.number);
        case ConstantKind::Imaginary: return in_.heap_.make<ComplexObject>(PyValue::real(0), PyValue::real(c.number));
        case ConstantKind::Str: return in_.str(c.text);
        case ConstantKind::Bytes: return in_.heap_.make<BytesObject>(c.text);
    }
    SIFR_UNREACHABLE("a constant");
}

PyValue Evaluator::joined(const JoinedStr& e) {
    Values parts;
    for (const ExprPtr& v : e.values) {
        if (const auto* c = get_if<Constant>(v)) {
            parts.push_back(in_.str(c->text));
            continue;
        }
        const auto& f = as<FormattedValue>(*v);
        PyValue value = eval(*f.value);
        PyValue spec = f.format_spec ? joined(*f.format_spec) : in_.str("");
        here(*f.value);
        if (f.conversion == 'r' || f.conversion == 'a') value = in_.repr_of(value);
        else if (f.conversion == 's') value = in_.str_of(value);
        parts.push_back(in_.format_of(value, spec));
    }
    here(e);
    return in_.concat(parts);
}

PyValue Evaluator::bool_op(const BoolOp& e, size_t from) {
    PyValue v = eval(*e.values[from]);
    if (from + 1 == e.values.size()) return v;
    here(*e.values[from]);
    PyValue t = in_.truth(v);
    if (t.is(Kind::Bool)) return t.as_bool() == e.is_or ? v : bool_op(e, from + 1);
    auto keep = [&] { return v; };
    auto go_on = [&] { return bool_op(e, from + 1); };
    return e.is_or ? fork(t.as_value(), keep, go_on) : fork(t.as_value(), go_on, keep);
}

PyValue Evaluator::truth_of_bool_op(const BoolOp& e, size_t from) {
    PyValue t = eval_truth(*e.values[from]);
    if (from + 1 == e.values.size()) return t;
    if (t.is(Kind::Bool)) return t.as_bool() == e.is_or ? t : truth_of_bool_op(e, from + 1);
    auto decided = [&] { return PyValue::boolean(e.is_or); };
    auto go_on = [&] { return truth_of_bool_op(e, from + 1); };
    return e.is_or ? fork(t.as_value(), decided, go_on) : fork(t.as_value(), go_on, decided);
}

PyValue Evaluator::eval_truth(const syntax::Expr& e) {
    if (e.kind == ExprKind::BoolOp) return truth_of_bool_op(as<BoolOp>(e), 0);
    PyValue v = eval(e);
    here(e);
    return in_.truth(v);
}

PyValue Evaluator::compare_chain(const Compare& e, PyValue left, size_t from) {
    PyValue right = eval(*e.comparators[from]);
    here(e);
    PyValue r = in_.compare(e.ops[from], left, right);
    if (from + 1 == e.ops.size()) return r;
    PyValue t = in_.truth(r);
    if (t.is(Kind::Bool)) return t.as_bool() ? compare_chain(e, right, from + 1) : r;
    return fork(t.as_value(), [&] { return compare_chain(e, right, from + 1); }, [&] { return r; });
}

Values Evaluator::elements(const std::vector<ExprPtr>& list) {
    Values items;
    for (const ExprPtr& e : list) {
        if (const auto* s = get_if<Starred>(e)) {
            PyValue v = eval(*s->value);
            here(*s);
            Values more = in_.iterate(v);
            items.insert(items.end(), more.begin(), more.end());
        } else {
            items.push_back(eval(*e));
        }
    }
    return items;
}

PyValue Evaluator::call_expr(const Call& e) {
    if (const auto* name = get_if<Name>(e.function); name && name->id == "super" && e.args.empty() && e.keywords.empty() &&
                                                    !owner("super", false)->variables.bound(symbol("super"))) {
        here(e);
        return super_call();
    }
    // `object.__dict__` is a copy; what `update` gives to it becomes attributes.
    const auto* method = get_if<Attribute>(e.function);
    const auto* of = method ? get_if<Attribute>(method->value) : nullptr;
    PyValue updated = of && method->name == "update" && of->name == "__dict__" ? eval(*of->value) : PyValue();
    PyValue callee = updated.is(Kind::Instance) ? PyValue(in_.builtin_class("dict")) : eval(*e.function);
    Args args;
    args.positional = elements(e.args);
    for (const Keyword& k : e.keywords) {
        PyValue v = eval(*k.value);
        if (!k.name.empty()) {
            args.keywords.emplace_back(symbol(k.name), v);
            continue;
        }
        here(*k.value);
        if (v.is(Kind::Instance) && v.as<InstanceObject>()->native.is(Kind::Dict)) v = v.as<InstanceObject>()->native;
        if (!v.is(Kind::Dict)) in_.raise_error("TypeError", "argument after ** must be a mapping, not {}", in_.type_name(v));
        for (const auto& entry : v.as<DictObject>()->entries) {
            if (!entry.key.is(Kind::Str)) in_.raise_error("TypeError", "keywords must be strings");
            Symbol s = symbol(entry.key.as<StrObject>()->text);
            if (std::any_of(args.keywords.begin(), args.keywords.end(), [&](const auto& k2) { return k2.first == s; }))
                in_.raise_error("TypeError", "got multiple values for keyword argument '{}'", *s);
            args.keywords.emplace_back(s, entry.value);
        }
    }
    here(e);
    PyValue result = in_.call(callee, std::move(args));
    if (!updated.is(Kind::Instance)) return result;
    for (const auto& entry : result.as<DictObject>()->entries) {
        if (!entry.key.is(Kind::Str)) throw NotSupported("an attribute whose name is not a string");
        in_.heap_.change(updated.as<InstanceObject>()).attributes.set(symbol(entry.key.as<StrObject>()->text), entry.value);
    }
    return PyValue::none();
}

void Evaluator::comprehend(const Comprehension& e, size_t g, const std::function<void()>& emit) {
    if (g == e.generators.size()) return emit();
    const Generator& gen = e.generators[g];
    if (gen.is_async) throw NotSupported("an async comprehension");
    PyValue iterable;
    if (g == 0) {
        // The first iterable belongs to the scope around the comprehension.
        FrameScope around(frame_, frame_->caller);
        iterable = eval(*gen.iter);
    } else {
        iterable = eval(*gen.iter);
    }
    here(*gen.iter);
    std::function<void(size_t)> from_condition = [&](size_t k) {
        if (k == gen.conditions.size()) return comprehend(e, g + 1, emit);
        PyValue taken = eval_truth(*gen.conditions[k]);
        if (taken.is(Kind::Bool)) {
            if (taken.as_bool()) from_condition(k + 1);
            return;
        }
        if (e.kind == ExprKind::SetComp || e.kind == ExprKind::DictComp) in_.need_static(taken, "the condition of a comprehension that makes a set or a dict");
        fork(taken.as_value(),
             [&] {
                 from_condition(k + 1);
                 return PyValue::none();
             },
             [] { return PyValue::none(); });
    };
    if (const auto* l = iterable.get_if<RunTimeListObject>(); l && l->static_length < 0 && e.kind != ExprKind::SetComp && e.kind != ExprKind::DictComp) {
        // A loop that is not written: over the indices, with the same target.
        For loop(e.span);
        loop.target.reset(const_cast<syntax::Expr*>(gen.target.get()));
        struct Borrowed {
            ExprPtr& target;
            ~Borrowed() { static_cast<void>(target.release()); }
        } borrowed{loop.target};
        auto item = [&](PyValue index) { return in_.get_item(iterable, index); };
        LoopReport report;
        report.span = e.span;
        LoopCapture capture(*this, loop, LoopCapture::Range{PyValue::integer(0), in_.length(iterable), PyValue::integer(1), -1, item, [&] { from_condition(0); }}, 0, report);
        if (capture.run() != LoopCapture::Outcome::Rolled) {
            if (capture.failure()) std::rethrow_exception(capture.failure());
            throw NotSupported(fmt::format("this comprehension over a list whose length is known only at run time: {}", capture.reason()));
        }
        go_on_unless_raised();
        return;
    }
    PyValue it = in_.iter(iterable);
    for (int64_t count = 0;; ++count) {
        here(*gen.iter);
        PyValue item = in_.next(it);
        if (item.is_unbound()) return;
        if (count > 10 * in_.options_.unroll_limit) throw NotSupported("a comprehension over more than a million items");
        assign(*gen.target, item);
        from_condition(0);
    }
}

PyValue Evaluator::comprehension(const Comprehension& e) {
    const Source* source = source_of_file_.at(e.span.file);
    const Scope& scope = source->scopes->of(e);
    auto* variables = in_.heap_.make<NamespaceObject>();
    variables->what = frame_->variables->what;
    variables->scope = &scope;
    variables->parent = frame_->variables == frame_->variables->globals ? nullptr : frame_->variables;
    variables->globals = frame_->variables->globals;
    Frame frame;
    frame.variables = variables;
    frame.scope = &scope;
    frame.self = frame_->self;
    frame.caller = frame_;
    FrameScope scope_of_frame(frame_, &frame);
    PyValue result;
    switch (e.kind) {
        case ExprKind::SetComp: {
            auto* s = in_.heap_.make<SetObject>();
            comprehend(e, 0, [&] {
                PyValue v = eval(*e.element);
                std::string h = hash_key(in_, v);
                if (!s->table.find(h)) in_.heap_.change(s).table.set(h, v, PyValue::none());
            });
            result = s;
            break;
        }
        case ExprKind::DictComp: {
            result = in_.dict();
            comprehend(e, 0, [&] {
                PyValue k = eval(*e.element);
                PyValue v = eval(*as<DictComp>(e).value);
                in_.dict_set(result, k, v);
            });
            break;
        }
        default: {
            // Items that depend on the run make it a run-time list; so it stands in a variable.
            static const Symbol items_symbol = symbol("<items>");
            variables->variables.set(items_symbol, in_.heap_.make<ListObject>());
            comprehend(e, 0, [&] {
                PyValue v = eval(*e.element);
                PyValue items = variables->variables.get(items_symbol);
                if (const auto* l = items.get_if<ListObject>()) in_.heap_.change(l).items.push_back(v);
                else in_.call_method(items, "append", {v});
            });
            result = variables->variables.get(items_symbol);
            // A generator expression is run to its end at once: what it does happens before its first item is taken.
            if (e.kind == ExprKind::GeneratorExp && result.is(Kind::List)) result = in_.iterator("generator", result.as<ListObject>()->items);
        }
    }
    return result;
}

PyValue Evaluator::eval(const syntax::Expr& e) {
    switch (e.kind) {
        case ExprKind::Name: return load(as<Name>(e));
        case ExprKind::Constant: return constant(as<Constant>(e));
        case ExprKind::JoinedStr: return joined(as<JoinedStr>(e));
        case ExprKind::FormattedValue: SIFR_UNREACHABLE("a formatted value outside of an f-string");
        case ExprKind::BinOp: {
            const auto& b = as<BinOp>(e);
            PyValue left = eval(*b.left), right = eval(*b.right);
            here(e);
            return in_.binary(b.op, left, right);
        }
        case ExprKind::UnaryOp: {
            const auto& u = as<UnaryOp>(e);
            PyValue v = u.op == UnaryOperator::Not ? eval_truth(*u.operand) : eval(*u.operand);
            here(e);
            return in_.unary(u.op, v);
        }
        case ExprKind::BoolOp: return bool_op(as<BoolOp>(e), 0);
        case ExprKind::Compare: {
            const auto& c = as<Compare>(e);
            return compare_chain(c, eval(*c.left), 0);
        }
        case ExprKind::Call: return call_expr(as<Call>(e));
        case ExprKind::Attribute: {
            const auto& a = as<Attribute>(e);
            PyValue v = eval(*a.value);
            here(e);
            return in_.get_attr(v, symbol(a.name));
        }
        case ExprKind::Subscript: {
            const auto& s = as<Subscript>(e);
            PyValue v = eval(*s.value), i = eval(*s.index);
            here(e);
            return in_.get_item(v, i);
        }
        case ExprKind::Slice: {
            const auto& s = as<Slice>(e);
            auto part = [&](const ExprPtr& p) { return p ? eval(*p) : PyValue::none(); };
            PyValue lower = part(s.lower), upper = part(s.upper), step = part(s.step);
            return in_.slice(lower, upper, step);
        }
        case ExprKind::Tuple: return in_.tuple(elements(as<Tuple>(e).elements));
        case ExprKind::List: return in_.list(elements(as<List>(e).elements));
        case ExprKind::Dict: {
            PyValue d = in_.dict();
            for (const DictItem& item : as<Dict>(e).items) {
                if (item.key) {
                    PyValue k = eval(*item.key), v = eval(*item.value);
                    here(*item.key);
                    in_.dict_set(d, k, v);
                    continue;
                }
                PyValue more = eval(*item.value);
                here(*item.value);
                if (more.is(Kind::Instance) && more.as<InstanceObject>()->native.is(Kind::Dict)) more = more.as<InstanceObject>()->native;
                if (!more.is(Kind::Dict)) in_.raise_error("TypeError", "'{}' object is not a mapping", in_.type_name(more));
                for (const auto& entry : more.as<DictObject>()->entries) in_.dict_set(d, entry.key, entry.value);
            }
            return d;
        }
        case ExprKind::Set: {
            auto* s = in_.heap_.make<SetObject>();
            for (PyValue v : elements(as<Set>(e).elements)) {
                here(e);
                std::string h = hash_key(in_, v);
                if (!s->table.find(h)) in_.heap_.change(s).table.set(h, v, PyValue::none());
            }
            return s;
        }
        case ExprKind::ListComp:
        case ExprKind::SetComp:
        case ExprKind::DictComp:
        case ExprKind::GeneratorExp: return comprehension(static_cast<const Comprehension&>(e));
        case ExprKind::Lambda: {
            const auto& l = as<Lambda>(e);
            return make_function(nullptr, &l, "<lambda>", l.params);
        }
        case ExprKind::IfExp: {
            const auto& i = as<IfExp>(e);
            PyValue t = eval_truth(*i.test);
            if (t.is(Kind::Bool)) return eval(t.as_bool() ? *i.body : *i.orelse);
            return fork(t.as_value(), [&] { return eval(*i.body); }, [&] { return eval(*i.orelse); });
        }
        case ExprKind::Starred: here(e); throw NotSupported("a starred expression here");
        case ExprKind::NamedExpr: {
            const auto& n = as<NamedExpr>(e);
            PyValue v = eval(*n.value);
            // The target of `:=` in a comprehension belongs to the scope around it.
            Frame* inner = frame_;
            while (frame_->scope->kind == ScopeKind::Comprehension) frame_ = frame_->caller;
            store(n.target->id, v);
            frame_ = inner;
            return v;
        }
        case ExprKind::Yield: {
            const auto& y = as<Yield>(e);
            PyValue v = y.value ? eval(*y.value) : PyValue::none();
            here(e);
            if (!frame_->generator) throw NotSupported("`yield` here");
            return frame_->generator->yield(v);
        }
        case ExprKind::YieldFrom: {
            PyValue v = eval(*as<YieldFrom>(e).value);
            here(e);
            if (!frame_->generator) throw NotSupported("`yield from` here");
            return yield_from(v);
        }
        case ExprKind::Await: here(e); throw NotSupported("`await`");
    }
    SIFR_UNREACHABLE("an expression");
}

// ---------------------------------------------------------------------------------------------- targets

void Evaluator::hint_name(PyValue value, const std::string& name) {
    auto hint = [&](ValueId v) {
        if (v.valid() && in_.function_[v].name.empty()) in_.function_[v].name = name;
    };
    if (value.is_dynamic()) hint(value.as_value());
    else if (const auto* t = value.get_if<TensorObject>()) hint(t->value);
}

void Evaluator::assign(const syntax::Expr& target, PyValue value) {
    switch (target.kind) {
        case ExprKind::Name: {
            const std::string& id = as<Name>(target).id;
            hint_name(value, id);
            return store(id, value);
        }
        case ExprKind::Attribute: {
            const auto& a = as<Attribute>(target);
            PyValue object = eval(*a.value);
            here(target);
            hint_name(value, a.name);
            return in_.set_attr(object, symbol(a.name), value);
        }
        case ExprKind::Subscript: {
            const auto& s = as<Subscript>(target);
            PyValue object = eval(*s.value), index = eval(*s.index);
            here(target);
            return in_.set_item(object, index, value);
        }
        case ExprKind::Tuple: here(target); return unpack(as<Tuple>(target).elements, value);
        case ExprKind::List: here(target); return unpack(as<List>(target).elements, value);
        case ExprKind::Starred: return assign(*as<Starred>(target).value, value);
        default: SIFR_UNREACHABLE("a target");
    }
}

void Evaluator::unpack(const std::vector<ExprPtr>& targets, PyValue value) {
    if (value.is(Kind::Optional)) value = present(value, "TypeError: cannot unpack non-iterable NoneType object");
    Values items;
    if (const auto* l = value.get_if<RunTimeListObject>(); l && l->static_length < 0) {
        if (std::any_of(targets.begin(), targets.end(), [](const ExprPtr& t) { return t->kind == ExprKind::Starred; })) throw NotSupported("`*` in the targets of a list whose length is known only at run time");
        PyValue n = in_.length(value), wanted = PyValue::integer(static_cast<int64_t>(targets.size()));
        in_.check(in_.compare(CompareOp::GtE, n, wanted), "ValueError", fmt::format("not enough values to unpack (expected {}, got {{}})", targets.size()), {n});
        in_.check(in_.compare(CompareOp::LtE, n, wanted), "ValueError", fmt::format("too many values to unpack (expected {})", targets.size()));
        for (size_t i = 0; i < targets.size(); ++i) items.push_back(in_.get_item(value, PyValue::integer(static_cast<int64_t>(i))));
        for (size_t i = 0; i < targets.size(); ++i) assign(*targets[i], items[i]);
        return;
    }
    try {
        items = in_.iterate(value);
    } catch (const ScriptError& e) {
        if (e.type == "TypeError" && e.text.ends_with("is not iterable")) in_.raise_error("TypeError", "cannot unpack non-iterable {} object", in_.type_name(value));
        throw;
    }
    size_t star = targets.size();
    for (size_t i = 0; i < targets.size(); ++i)
        if (targets[i]->kind == ExprKind::Starred) star = i;
    if (star == targets.size()) {
        if (items.size() < targets.size()) in_.raise_error("ValueError", "not enough values to unpack (expected {}, got {})", targets.size(), items.size());
        if (items.size() > targets.size()) in_.raise_error("ValueError", "too many values to unpack (expected {})", targets.size());
        for (size_t i = 0; i < targets.size(); ++i) assign(*targets[i], items[i]);
        return;
    }
    size_t after = targets.size() - star - 1;
    if (items.size() < star + after) in_.raise_error("ValueError", "not enough values to unpack (expected at least {}, got {})", star + after, items.size());
    for (size_t i = 0; i < star; ++i) assign(*targets[i], items[i]);
    assign(*targets[star], in_.list(Values(items.begin() + static_cast<std::ptrdiff_t>(star), items.end() - static_cast<std::ptrdiff_t>(after))));
    for (size_t i = 0; i < after; ++i) assign(*targets[star + 1 + i], items[items.size() - after + i]);
}

}  // namespace sifr::capture
