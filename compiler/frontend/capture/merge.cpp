#include "compiler/frontend/capture/merge.h"

#include <algorithm>

namespace sifr::capture {

namespace {

std::string label(const Object& o, const std::string& place) {
    switch (o.kind) {
        case Kind::Namespace: return place == *result_symbol ? "the value that is returned" : "the variable '" + place + "'";
        case Kind::List: return "the list item " + place;
        case Kind::Dict: return "the dict item " + place;
        case Kind::Tuple: return "the tuple item " + place;
        case Kind::Instance:
        case Kind::Tensor: return "the attribute '" + (place.starts_with(".") ? place.substr(1) : place) + "'";
        default: return "'" + place + "'";
    }
}

/// Kinds of which a merged object is one side's copy with merged slots.
bool holds_slots(Kind kind) {
    switch (kind) {
        case Kind::Tuple:
        case Kind::List:
        case Kind::Dict:
        case Kind::Instance:
        case Kind::Complex:
        case Kind::Slice:
        case Kind::Range: return true;
        default: return false;
    }
}

bool is_text(PyValue v) { return v.is_str(); }
bool is_scalar(PyValue v) { return v.is_number() || is_text(v); }

}  // namespace

Merger::Merger(Evaluator& evaluator, Side a, Side b) : evaluator_(evaluator), in_(evaluator.in_), a_(std::move(a)), b_(std::move(b)) {}

const Object& Merger::content(const Side& s, const Object* o) const {
    auto it = s.after.find(o);
    return it == s.after.end() ? *o : *it->second;
}

ValueId Merger::yield(Type type, ValueId a, ValueId b) {
    auto [it, fresh] = known_.try_emplace({a.index, b.index}, ValueId());
    if (!fresh) return it->second;
    Function& f = in_.function();
    f[a_.region].results.push_back(a);
    f[b_.region].results.push_back(b);
    Value v;
    v.type = std::move(type);
    v.def = Value::Def::Result;
    v.position = static_cast<uint32_t>(results_.size());
    v.name = f[a].name.empty() ? f[b].name : f[a].name;
    it->second = f.add_value(std::move(v));
    results_.push_back(it->second);
    return it->second;
}

/// A value of the type that is never read: what a path gives for a result that only the other path has.
ValueId Merger::placeholder(const Side& s, const Type& type) {
    Function& f = in_.function();
    switch (type.kind) {
        case Type::Kind::I64: return f.add_constant(int64_t{0});
        case Type::Kind::F64: return f.add_constant(0.0);
        case Type::Kind::Bool: return f.add_constant(false);
        case Type::Kind::Str: return f.add_constant(std::string());
        default: break;
    }
    Builder& b = in_.builder();
    RegionId outer = b.region();
    b.into(s.region);
    ValueId v;
    if (type.is_tensor()) {
        if (!type.run_time_sizes.empty()) throw NotSupported("a tensor of run-time size that only one path makes");
        Attrs at;
        at.set("sizes", type.sizes);
        at.set("dtype", type.dtype);
        InstId id = b.emit_typed("empty"_op, {}, at, {type});
        v = f[id].results[0];
        f[v].view = {f.add_storage({"", type.dtype, type.sizes, false}), Layout::contiguous(type.sizes), {}};
    } else if (type.kind == Type::Kind::List) {
        v = f[b.emit_typed("list_new"_op, {}, {}, {type})].results[0];
    } else {
        throw NotSupported("a value of this kind that only one path makes");
    }
    b.into(outer);
    return v;
}

PyValue Merger::scalar(PyValue a, PyValue b, Type::Kind kind) {
    Type type{kind};
    ValueId va = a.is_unbound() ? ValueId() : in_.to_ir(a), vb = b.is_unbound() ? ValueId() : in_.to_ir(b);
    if (!va) va = placeholder(a_, type);
    if (!vb) vb = placeholder(b_, type);
    return PyValue::dynamic(yield(type, va, vb), kind);
}

bool Merger::is_inside(const Side& s, ValueId v) const {
    Function& f = in_.function();
    const Value& value = f[v];
    if (value.def == Value::Def::Constant) return false;
    RegionId r = value.def == Value::Def::Parameter ? value.region : value.inst.valid() ? f[value.inst].parent : RegionId();
    while (r.valid()) {
        if (r == s.region) return true;
        InstId parent = f[r].parent;
        if (!parent.valid()) return false;
        r = f[parent].parent;
    }
    return false;
}

/// A value whose layout is the whole of its storage, row-major; a copy where it is not.
ValueId Merger::contiguous(const Side& s, ValueId v) {
    Function& f = in_.function();
    const View& view = f[v].view;
    const Storage& storage = f[view.storage];
    bool fresh = view.storage.index >= s.storage_watermark;
    in_.leave_copy(view.storage);
    if (view.layout.is_static() && view.layout.is_whole(f[v].type.sizes) && element_count(storage.frame) == view.layout.numel()) {
        if (!fresh) in_.share_storage(view.storage);
        return v;
    }
    in_.share_storage(view.storage);
    Builder& b = in_.builder();
    RegionId outer = b.region();
    b.into(s.region);
    Type type = f[v].type;
    InstId id = b.emit_typed("clone"_op, {v}, {}, {type});
    f[id].untracked = true;
    ValueId copy = f[id].results[0];
    f[copy].view = {f.add_storage({"", type.dtype, type.sizes, false}), Layout::contiguous(type.sizes), {}};
    b.into(outer);
    return copy;
}

ValueId Merger::tensor_value(ValueId a, ValueId b, bool& ok) {
    Function& f = in_.function();
    ok = true;
    if (a == b && a.valid()) return a;
    Type type = f[a.valid() ? a : b].type;
    if (a.valid() && b.valid() && !(f[a].type == f[b].type)) {
        ok = false;
        return {};
    }
    if (!type.run_time_sizes.empty()) {
        ok = false;
        return {};
    }
    auto known = known_.find({a.index, b.index});
    if (known != known_.end()) return known->second;
    ValueId va = a.valid() ? contiguous(a_, a) : placeholder(a_, type), vb = b.valid() ? contiguous(b_, b) : placeholder(b_, type);
    bool alias = (a.valid() && f[a].view.storage.index < a_.storage_watermark) || (b.valid() && f[b].view.storage.index < b_.storage_watermark);
    ValueId r = yield(type, va, vb);
    known_[{a.index, b.index}] = r;
    f[r].view = {f.add_storage({f[r].name, type.dtype, type.sizes, true}), Layout::contiguous(type.sizes), {}};
    if (alias) in_.share_storage(f[r].view.storage);
    // Two results that lie in one storage on one path only.
    for (bool first : {true, false}) {
        ValueId v = first ? a : b;
        if (!v.valid()) continue;
        std::vector<ValueId>& others = results_in_[{first, f[v].view.storage}];
        if (!others.empty() || in_.is_shared(f[v].view.storage)) in_.share_storage(f[r].view.storage);
        for (ValueId other : others) in_.share_storage(f[other].view.storage);
        others.push_back(r);
    }
    return r;
}

PyValue Merger::tensor(const TensorObject* a, const TensorObject* b, const std::string& what) {
    auto [it, fresh] = merged_.try_emplace({a, b}, PyValue());
    if (!fresh) return it->second;
    const auto* ca = a ? static_cast<const TensorObject*>(&content(a_, a)) : nullptr;
    const auto* cb = b ? static_cast<const TensorObject*>(&content(b_, b)) : nullptr;
    const TensorObject& like = ca ? *ca : *cb;
    if (ca && cb && (ca->cls != cb->cls || ca->cuda != cb->cuda || ca->device_index != cb->device_index)) return it->second = unusable(a, b, what, "two kinds of tensors");
    bool ok = true;
    ValueId value = tensor_value(ca ? ca->value : ValueId(), cb ? cb->value : ValueId(), ok);
    if (!ok) {
        Function& f = in_.function();
        return it->second = unusable(a, b, what, fmt::format("a tensor of type {} or one of type {}", f.type(ca->value).text(), f.type(cb->value).text()));
    }
    AutogradState& autograd = in_.autograd();
    auto* made = in_.heap().make<TensorObject>(like);
    made->value = value;
    if (ca && cb && ca->variable != cb->variable) {
        bool needs = autograd.requires_grad(ca->variable) || autograd.requires_grad(cb->variable);
        Type type = in_.function().type(value);
        if (needs) {
            std::string name = autograd.grad_fn_name(ca->variable);
            if (name.empty()) name = autograd.grad_fn_name(cb->variable);
            if (name.empty()) name = "AliasBackward0";
            made->variable = autograd.record_node(name, {ca->variable, cb->variable}, {}, {type}, in_.span())[0];
        } else {
            made->variable = autograd.fresh(type, false, in_.span());
        }
    }
    PyValue result = made;
    merged_[{a, b}] = result;
    PyValue grad_a = ca ? ca->grad : PyValue(), grad_b = cb ? cb->grad : PyValue();
    made->grad = !ca ? (grad_b.is_none() ? grad_b : merge(PyValue(), grad_b, "'.grad'")) : !cb ? (grad_a.is_none() ? grad_a : merge(grad_a, PyValue(), "'.grad'")) : merge(grad_a, grad_b, "'.grad'");
    if (made->grad.is_unbound()) made->grad = PyValue::none();
    return result;
}

PyValue Merger::unusable(PyValue a, PyValue b, const std::string& what, std::string reason) {
    auto* u = in_.heap().make<UnusableObject>();
    u->what = what;
    if (reason.empty()) {
        auto say = [&](PyValue v) -> std::string {
            if (v.is(Kind::Unusable)) return "something undecided";
            if (v.is_unbound()) return "nothing";
            std::string name = in_.type_name(v);
            if (v.is(Kind::List) || v.is(Kind::Dict) || v.is(Kind::Tuple)) return fmt::format("a {} of {} items", name, in_.static_repr(in_.length(v)));
            return fmt::format("{} {}", std::string_view("aeiou").find(static_cast<char>(name[0] | 32)) != std::string_view::npos ? "an" : "a", name);
        };
        reason = say(a) + " or " + say(b);
    }
    u->reason = std::move(reason);
    u->first = in_.span();
    return u;
}

PyValue Merger::optional(PyValue a, PyValue b, const std::string& what) {
    auto absent_kind = [](PyValue v) { return v.is(Kind::Optional) ? v.as<OptionalObject>()->absent : v.kind(); };
    auto absent = [](PyValue v) { return v.is_none() || v.is_unbound(); };
    auto inner = [&](PyValue v) -> PyValue { return absent(v) ? PyValue() : v.is(Kind::Optional) ? v.as<OptionalObject>()->value : v; };
    auto flag = [&](PyValue v) -> PyValue {
        if (absent(v)) return PyValue::boolean(false);
        if (v.is(Kind::Optional)) return PyValue::dynamic(v.as<OptionalObject>()->present, Type::Kind::Bool);
        return PyValue::boolean(true);
    };
    Kind none_a = absent(a) || a.is(Kind::Optional) ? absent_kind(a) : Kind::NotImplemented;
    Kind none_b = absent(b) || b.is(Kind::Optional) ? absent_kind(b) : Kind::NotImplemented;
    if (none_a != Kind::NotImplemented && none_b != Kind::NotImplemented && none_a != none_b) return unusable(a, b, what, "None, nothing, or a value");
    Kind none = none_a != Kind::NotImplemented ? none_a : none_b;
    PyValue value = merge(inner(a), inner(b), what);
    if (value.is(Kind::Unusable)) return value;
    PyValue present = merge(flag(a), flag(b), what);
    if (present.is(Kind::Bool)) return present.as_bool() ? value : none == Kind::None ? PyValue::none() : PyValue();
    auto* o = in_.heap().make<OptionalObject>();
    o->present = present.as_value();
    o->value = value;
    o->absent = none;
    return o;
}

PyValue Merger::container(PyValue a, PyValue b, const std::string& what) {
    const Object *oa = a.is_unbound() ? nullptr : a.object(), *ob = b.is_unbound() ? nullptr : b.object();
    if (auto it = merged_.find({oa, ob}); it != merged_.end()) return it->second;
    const Object *ca = oa ? &content(a_, oa) : nullptr, *cb = ob ? &content(b_, ob) : nullptr;
    bool made_here = (oa && oa->number >= a_.watermark) || (ob && ob->number >= b_.watermark);
    Kind kind = oa ? oa->kind : ob->kind;
    bool immutable = kind == Kind::Tuple || kind == Kind::Slice || kind == Kind::Range || kind == Kind::Complex;
    if (!immutable && !made_here) return unusable(a, b, what, "");
    if (ca && cb && (ca->kind != cb->kind || !ca->same_structure(*cb))) return unusable(a, b, what, "");
    // A copy of one side whose slots are then the merged ones.
    std::unique_ptr<Object> other = (ca && cb) ? cb->copy() : nullptr;
    if (!holds_slots(kind)) return unusable(a, b, what, "");
    Object* made = in_.heap().clone(*(ca ? ca : cb));
    PyValue result = made;
    merged_[{oa, ob}] = result;
    if (Variables* v = variables_of(*made)) {
        Variables* w = other ? variables_of(*other) : nullptr;
        if (w)
            for (const auto& [name, value] : w->entries)
                if (!v->find(name)) v->set(name, {});
        for (auto& [name, value] : v->entries) {
            PyValue left = ca ? value : PyValue(), right = w ? w->get(name) : ca ? PyValue() : value;
            value = merge(left, right, label(*made, *name));
        }
        return result;
    }
    std::vector<PyValue> others;
    if (other) other->visit_slots([&](const std::string&, PyValue& v) { others.push_back(v); });
    size_t i = 0;
    made->visit_slots([&](const std::string& place, PyValue& v) {
        PyValue left = ca ? v : PyValue(), right = other ? others[i] : ca ? PyValue() : v;
        ++i;
        v = merge(left, right, label(*made, place));
    });
    if (auto* r = made->kind == Kind::Range ? static_cast<RangeObject*>(made) : nullptr) {
        SIFR_CHECK(r->start.is(Kind::Int) || r->start.is_dynamic(), "a merged range");
    }
    return result;
}

PyValue Merger::merge(PyValue a, PyValue b, const std::string& what) {
    // A path that never gets here leaves the other one's value, which must leave its region nevertheless.
    if (!a_.ends) a = PyValue();
    if (!b_.ends) b = PyValue();
    bool one_sided = !a_.ends || !b_.ends || (one_side_ && (a.is_unbound() || b.is_unbound()));
    if (a.is_unbound() && b.is_unbound()) return a;
    PyValue only = a.is_unbound() ? b : a;
    const Side& side = a.is_unbound() ? b_ : a_;
    if (!one_sided) {
        if (a.same(b) && (!a.is_object() || (!a_.after.contains(a.object()) && !b_.after.contains(b.object())) || a.object()->number < std::min(a_.watermark, b_.watermark))) return a;
        if (a.is(Kind::Str) && b.is(Kind::Str) && a.as<StrObject>()->text == b.as<StrObject>()->text) return a;
        if (a.is(Kind::BigInt) && b.is(Kind::BigInt) && a.as<BigIntObject>()->value == b.as<BigIntObject>()->value) return a;
        // A place that only one path writes in a loop's trial passes on what it held before: that is a read of it. What a
        // function returns is looked at only where it has returned.
        for (PyValue* side_value : {&a, &b})
            if (const auto* u = side_value->get_if<UnusableObject>(); u && u->observed_by_loop) {
                if (what != "the value that is returned") evaluator_.observed(u);
                *side_value = PyValue();
            }
        if (a.is(Kind::Unusable) || b.is(Kind::Unusable)) return a.is(Kind::Unusable) ? a : b;
        bool none_a = a.is_none() || a.is_unbound() || a.is(Kind::Optional), none_b = b.is_none() || b.is_unbound() || b.is(Kind::Optional);
        if (none_a || none_b) {
            bool outer = one_side_;
            one_side_ = true;
            PyValue r = optional(a, b, what);
            one_side_ = outer;
            return r;
        }
        if (is_scalar(a) && is_scalar(b)) {
            Type::Kind ka = Interpreter::scalar_kind(a), kb = Interpreter::scalar_kind(b);
            if (ka != kb || a.is(Kind::BigInt) || b.is(Kind::BigInt)) return unusable(a, b, what, "");
            return scalar(a, b, ka);
        }
        if (a.is(Kind::Tensor) && b.is(Kind::Tensor)) return tensor(a.as<TensorObject>(), b.as<TensorObject>(), what);
        if (a.kind() == b.kind() && a.is_object()) {
            if (a.is(Kind::BoundMethod)) {
                PyValue f = merge(a.as<BoundMethodObject>()->function, b.as<BoundMethodObject>()->function, what);
                PyValue s = merge(a.as<BoundMethodObject>()->self, b.as<BoundMethodObject>()->self, what);
                if (f.is(Kind::Unusable) || s.is(Kind::Unusable)) return unusable(a, b, what, "");
                return in_.heap().make<BoundMethodObject>(s, f);
            }
            if (const auto* la = a.get_if<RunTimeListObject>()) {
                const auto* lb = b.as<RunTimeListObject>();
                if (la->list == lb->list) return a;
                if (!(la->element == lb->element)) return unusable(a, b, what, "run-time lists of unlike elements");
                auto* made = in_.heap().make<RunTimeListObject>(*la);
                made->list = yield(Type::list(la->element), la->list, lb->list);
                if (la->static_length != lb->static_length) made->static_length = -1;
                return made;
            }
            return container(a, b, what);
        }
        return unusable(a, b, what, "");
    }
    // One-sided: what was made inside leaves through a result.
    switch (only.kind()) {
        case Kind::Dynamic:
            if (!is_inside(side, only.as_value())) return only;
            return scalar(a, b, only.scalar());
        case Kind::Tensor: {
            const auto* t = only.as<TensorObject>();
            const auto& now = static_cast<const TensorObject&>(content(side, t));
            if (t->number < side.watermark) return only;
            if (!is_inside(side, now.value)) return only;
            return tensor(a.is_unbound() ? nullptr : t, a.is_unbound() ? t : nullptr, what);
        }
        case Kind::RunTimeList: {
            const auto* l = only.as<RunTimeListObject>();
            if (!is_inside(side, l->list)) return only;
            auto* made = in_.heap().make<RunTimeListObject>(*l);
            Type type = Type::list(l->element);
            ValueId va = a.is_unbound() ? placeholder(a_, type) : l->list, vb = b.is_unbound() ? placeholder(b_, type) : l->list;
            made->list = yield(type, va, vb);
            return made;
        }
        case Kind::Optional: {
            const auto* o = only.as<OptionalObject>();
            PyValue flag = PyValue::dynamic(o->present, Type::Kind::Bool);
            PyValue present = a.is_unbound() ? merge(PyValue(), flag, what) : merge(flag, PyValue(), what);
            PyValue value = a.is_unbound() ? merge(PyValue(), o->value, what) : merge(o->value, PyValue(), what);
            auto* made = in_.heap().make<OptionalObject>();
            made->present = present.as_value();
            made->value = value;
            made->absent = o->absent;
            return made;
        }
        case Kind::Tuple:
        case Kind::List:
        case Kind::Dict:
        case Kind::Instance:
        case Kind::Complex:
        case Kind::Slice:
        case Kind::Range:
            if (only.object()->number < side.watermark) return only;
            return container(a, b, what);
        default: return only;
    }
}

void Merger::merge_object(Object* o) {
    const Object &ca = content(a_, o), &cb = content(b_, o);
    // A path that never gets here has no say.
    const Object& shape = a_.ends ? ca : cb;
    if (auto* l = o->kind == Kind::List ? static_cast<ListObject*>(o) : nullptr; l && a_.ends && b_.ends) {
        if (static_cast<const ListObject&>(ca).items.size() != static_cast<const ListObject&>(cb).items.size()) {
            grown_.insert(l);
            return;
        }
    }
    if (Variables* mine = variables_of(*o)) {
        std::unique_ptr<Object> left = ca.copy(), right = cb.copy();
        Variables *va = variables_of(*left), *vb = variables_of(*right);
        std::vector<Symbol> names;
        for (const Variables* v : {static_cast<const Variables*>(mine), static_cast<const Variables*>(va), static_cast<const Variables*>(vb)})
            for (const auto& [name, value] : v->entries)
                if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        std::vector<std::pair<Symbol, PyValue>> merged;
        for (Symbol name : names) merged.emplace_back(name, merge(va->get(name), vb->get(name), label(*o, *name)));
        in_.heap().change(o);
        if (o->kind == Kind::Instance && static_cast<const InstanceObject&>(ca).cls != static_cast<const InstanceObject&>(cb).cls)
            throw NotSupported("a class that is changed under a run-time condition");
        mine = variables_of(*o);
        for (auto& [name, value] : merged) mine->set(name, value);
        if (o->kind == Kind::Tensor) {
            auto* t = static_cast<TensorObject*>(o);
            const auto &ta = static_cast<const TensorObject&>(ca), &tb = static_cast<const TensorObject&>(cb);
            t->grad = a_.ends && b_.ends ? merge(ta.grad, tb.grad, "'.grad'") : a_.ends ? merge(ta.grad, PyValue(), "'.grad'") : merge(PyValue(), tb.grad, "'.grad'");
            if (t->grad.is_unbound()) t->grad = PyValue::none();
            t->hooks = a_.ends ? ta.hooks : tb.hooks;
            t->extra = a_.ends ? ta.extra : tb.extra;
            bool ok = true;
            if (a_.ends && b_.ends) {
                if (ta.value != tb.value) t->value = tensor_value(ta.value, tb.value, ok);
                if (ta.variable != tb.variable) t->variable = in_.autograd().fresh(in_.function().type(t->value), false, in_.span());
            } else {
                const TensorObject& now = a_.ends ? ta : tb;
                t->variable = now.variable;
                if (now.value != t->value) t->value = is_inside(a_.ends ? a_ : b_, now.value) ? tensor_value(a_.ends ? now.value : ValueId(), a_.ends ? ValueId() : now.value, ok) : now.value;
            }
            if (!ok) throw NotSupported("a tensor that changes its shape or dtype under a run-time condition");
        }
        return;
    }
    if (a_.ends && b_.ends && !ca.same_structure(cb)) {
        std::string what = o->kind == Kind::Dict ? "a dict whose keys depend on a run-time condition" : o->kind == Kind::Set ? "a set whose members depend on a run-time condition"
                           : o->kind == Kind::Iterator ? "an iterator that is advanced under a run-time condition" : o->kind == Kind::RunTimeList ? "" : "an object whose structure depends on a run-time condition";
        if (o->kind == Kind::RunTimeList) {
            auto* l = static_cast<RunTimeListObject*>(o);
            const auto &la = static_cast<const RunTimeListObject&>(ca), &lb = static_cast<const RunTimeListObject&>(cb);
            in_.heap().change(l);
            if (la.list != lb.list) l->list = yield(Type::list(l->element), la.list, lb.list);
            l->static_length = la.static_length == lb.static_length ? la.static_length : -1;
            return;
        }
        throw NotSupported(what);
    }
    std::unique_ptr<Object> merged = shape.copy(), other = (a_.ends ? cb : ca).copy();
    std::vector<PyValue> others;
    if (a_.ends && b_.ends) other->visit_slots([&](const std::string&, PyValue& v) { others.push_back(v); });
    size_t i = 0;
    merged->visit_slots([&](const std::string& place, PyValue& v) {
        if (a_.ends && b_.ends) v = merge(v, others[i++], label(*o, place));
        else v = a_.ends ? merge(v, PyValue(), label(*o, place)) : merge(PyValue(), v, label(*o, place));
    });
    in_.heap().change(o);
    o->assign(*merged);
}

void Merger::merge_heap(const std::vector<Object*>& changed) {
    for (Object* o : changed) merge_object(o);
}

}  // namespace sifr::capture
