// Subscripts, lengths and iteration.
#include <algorithm>

#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/interpreter.h"
#include "compiler/frontend/capture/operators.h"
#include "compiler/frontend/capture/runtime_text.h"

namespace sifr::capture {

std::string hash_key(Interpreter& in, PyValue v) {
    switch (v.kind()) {
        case Kind::None: return "N";
        case Kind::Ellipsis: return "E";
        case Kind::Bool:
        case Kind::Int: return fmt::format("i{}", v.as_int());
        case Kind::BigInt: return "i" + v.as<BigIntObject>()->value.str();
        case Kind::Float: {
            double d = v.as_float();
            if (d == static_cast<double>(static_cast<int64_t>(d)) && d >= -9e18 && d <= 9e18) return fmt::format("i{}", static_cast<int64_t>(d));
            return fmt::format("f{:a}", d);
        }
        case Kind::DType: return fmt::format("d{}", static_cast<int>(v.as_dtype()));
        case Kind::Device: return fmt::format("D{}:{}", v.device_is_cuda(), v.device_index());
        case Kind::Str: return "s" + v.as<StrObject>()->text;
        case Kind::Bytes: return "b" + v.as<BytesObject>()->bytes;
        case Kind::Tuple: {
            std::string r = "(";
            for (PyValue item : v.as<TupleObject>()->items) {
                std::string h = hash_key(in, item);
                r += fmt::format("{}:{}", h.size(), h);
            }
            return r + ")";
        }
        case Kind::Set:
            if (v.as<SetObject>()->frozen) {
                std::vector<std::string> keys;
                for (const auto& e : v.as<SetObject>()->table.entries) keys.push_back(hash_key(in, e.key));
                std::sort(keys.begin(), keys.end());
                std::string r = "{";
                for (const std::string& k : keys) r += fmt::format("{}:{}", k.size(), k);
                return r + "}";
            }
            [[fallthrough]];
        case Kind::List:
        case Kind::RunTimeList:
        case Kind::Dict:
        case Kind::Slice:
            in.raise_error("TypeError", "unhashable type: '{}'", in.type_name(v));
        case Kind::Dynamic: in.need_static(v, "a dict key or set member");
        case Kind::Optional: throw NeedStatic("a dict key that may be None at run time");
        case Kind::Instance: {
            const ClassObject* cls = in.class_of(v);
            if (PyValue h = cls->lookup(symbol("__hash__")); h.is(Kind::Function))
                return fmt::format("h{}:{}", cls->number, in.need_int(in.call(h, Values{v}), "a hash"));
            if (cls->lookup(symbol("__eq__")).is(Kind::Function)) in.raise_error("TypeError", "unhashable type: '{}'", cls->name);
            return fmt::format("o{}", v.object()->number);
        }
        case Kind::BoundMethod: {
            const auto* b = v.as<BoundMethodObject>();
            return fmt::format("m{}:{}", hash_key(in, b->self), hash_key(in, b->function));
        }
        case Kind::Native:
            if (Protocol* p = in.protocol_of(v))
                if (std::string h = p->hash(in, v); !h.empty()) return fmt::format("n{}:{}", in.class_of(v)->number, h);
            [[fallthrough]];
        default: return fmt::format("o{}", v.object()->number);
    }
}

SliceRange slice_range(Interpreter& in, const SliceObject& s, int64_t length) {
    SliceRange r{};
    r.step = s.step.is_none() ? 1 : in.need_int(s.step, "a slice step");
    if (r.step == 0) in.raise_error("ValueError", "slice step cannot be zero");
    auto clamp = [&](PyValue v, int64_t otherwise) {
        if (v.is_none()) return otherwise;
        int64_t i = v.is(Kind::BigInt) ? (to_big(v).is_negative() ? INT64_MIN / 2 : INT64_MAX / 2) : in.need_int(v, "a slice bound");
        if (i < 0) i += length;
        if (i < 0) return r.step < 0 ? int64_t{-1} : int64_t{0};
        if (i >= length) return r.step < 0 ? length - 1 : length;
        return i;
    };
    r.start = clamp(s.start, r.step < 0 ? length - 1 : 0);
    r.stop = clamp(s.stop, r.step < 0 ? -1 : length);
    r.count = r.step > 0 ? (r.stop > r.start ? (r.stop - r.start - 1) / r.step + 1 : 0) : (r.start > r.stop ? (r.start - r.stop - 1) / -r.step + 1 : 0);
    return r;
}

namespace {

Values sliced(Interpreter& in, const Values& items, const SliceObject& s) {
    SliceRange r = slice_range(in, s, static_cast<int64_t>(items.size()));
    Values out;
    for (int64_t k = 0; k < r.count; ++k) out.push_back(items[static_cast<size_t>(r.start + k * r.step)]);
    return out;
}

/// A position in 0 … n-1; IndexError with `text`.
size_t position(Interpreter& in, int64_t i, size_t n, const char* text) {
    if (i < 0) i += static_cast<int64_t>(n);
    if (i < 0 || i >= static_cast<int64_t>(n)) in.raise_error("IndexError", "{}", text);
    return static_cast<size_t>(i);
}

bool is_index(Interpreter& in, PyValue v) {
    if (v.is(Kind::Int) || v.is(Kind::Bool) || v.is(Kind::BigInt) || v.is_dynamic(Type::Kind::I64) || v.is_dynamic(Type::Kind::Bool)) return true;
    if (v.is(Kind::Instance)) return !in.class_of(v)->lookup(symbol("__index__")).is_unbound();
    return v.is(Kind::Tensor);
}

/// Tensors as an index stand for their value.
PyValue index_value(Interpreter& in, PyValue v) {
    if (v.is(Kind::Tensor))
        if (PyValue i = in.protocol_of(v)->index(in, v); !i.is_unbound()) return i;
    return v;
}

/// `items[i]` for a run-time `i`: all members must be numbers or strings of one kind.
PyValue lookup_at_run_time(Interpreter& in, const Values& items, PyValue index, const char* error) {
    if (items.empty()) in.raise_error("IndexError", "{}", error);
    Type::Kind kind{};
    for (size_t k = 0; k < items.size(); ++k) {
        if (!items[k].is_number() && !items[k].is_str()) in.need_static(index, "an index into a list of other things than numbers or strings");
        Type::Kind this_kind = Interpreter::scalar_kind(items[k]);
        if (k > 0 && this_kind != kind) in.need_static(index, "an index into a list of unlike things");
        kind = this_kind;
    }
    auto n = static_cast<int64_t>(items.size());
    Builder& b = in.builder();
    ValueId i = in.to_ir(index, Type::Kind::I64);
    ValueId count = b.constant_int(n), zero = b.constant_int(0);
    ValueId negative = b.emit("ilt"_op, {i, zero});
    ValueId wrapped = b.emit("iadd"_op, {i, b.emit("sel"_op, {negative, count, zero})});
    ValueId ok = b.emit("band"_op, {b.emit("ige"_op, {wrapped, zero}), b.emit("ilt"_op, {wrapped, count})});
    in.check(PyValue::dynamic(ok, Type::Kind::Bool), "IndexError", error);
    ValueId result = in.to_ir(items.back(), kind);
    for (int64_t k = n - 1; k-- > 0;) {
        ValueId here = b.emit("ieq"_op, {wrapped, b.constant_int(k)});
        result = b.emit("sel"_op, {here, in.to_ir(items[static_cast<size_t>(k)], kind), result});
    }
    return PyValue::dynamic(result, kind);
}

}  // namespace

PyValue Interpreter::get_item(PyValue object, PyValue index) {
    if (object.is(Kind::Optional)) object = evaluator_->present(object, "TypeError: 'NoneType' object is not subscriptable");
    if (index.is(Kind::Optional)) index = evaluator_->present(index, fmt::format("TypeError: {} indices must be integers or slices, not NoneType", type_name(object)));
    switch (object.kind()) {
        case Kind::Unusable: evaluator_->unusable(object);
        case Kind::List:
        case Kind::Tuple: {
            const Values& items = object.is(Kind::List) ? object.as<ListObject>()->items : object.as<TupleObject>()->items;
            const char* name = object.is(Kind::List) ? "list" : "tuple";
            if (const auto* s = index.get_if<SliceObject>()) {
                Values part = sliced(*this, items, *s);
                if (object.is(Kind::List)) return list(std::move(part));
                const ClassObject* cls = object.as<TupleObject>()->cls;
                return cls->name == "Size" ? tuple_of(cls, std::move(part)) : tuple(std::move(part));
            }
            if (!is_index(*this, index)) raise_error("TypeError", "{} indices must be integers or slices, not {}", name, type_name(index));
            index = index_value(*this, index);
            const char* error = object.is(Kind::List) ? "list index out of range" : "tuple index out of range";
            if (index.is_dynamic()) return lookup_at_run_time(*this, items, index, error);
            PyValue v = items[position(*this, need_int(index, "a list index"), items.size(), error)];
            return v.is(Kind::Unusable) ? evaluator_->usable_slot(v, object, symbol("[]")) : v;
        }
        case Kind::Dict: {
            const auto* d = object.as<DictObject>();
            if (index.is_dynamic()) return dict_at_run_time(d, index);
            std::string hash = hash_key(*this, index);
            if (const PyValue* v = d->find(hash); v && !v->is_unbound()) return v->is(Kind::Unusable) ? evaluator_->usable_slot(*v, object, symbol(static_repr(index))) : *v;
            if (!d->default_factory.is_unbound() && !d->default_factory.is_none()) {
                PyValue v = call(d->default_factory);
                heap_.set_item(d, hash, index, v);
                return v;
            }
            if (d->cls && d->cls->name == "Counter") return PyValue::integer(0);
            throw Raised{key_error(index), span(), std::nullopt};
        }
        case Kind::Str:
        case Kind::Dynamic: {
            if (!object.is_str()) break;
            if (const auto* s = index.get_if<SliceObject>()) {
                if (object.is_dynamic()) return str_slice(object, *s);
                auto bound = [&](PyValue v) { return v.is_none() ? SIFR_SLICE_NONE : need_int(v, "a slice bound"); };
                int64_t start = bound(s->start), stop = bound(s->stop), step = s->step.is_none() ? 1 : need_int(s->step, "a slice step");
                return str(must_text([&](sifr_str* out) { return sifr_str_slice(rt(object.as<StrObject>()->text), start, stop, step, out); }));
            }
            if (!is_index(*this, index)) raise_error("TypeError", "string indices must be integers, not '{}'", type_name(index));
            if (object.is_dynamic() || index.is_dynamic()) return emit_scalar("str_index"_op, {to_ir(object), to_ir(index, Type::Kind::I64)});
            int64_t i = need_int(index, "a string index");
            return str(must_text([&](sifr_str* out) { return sifr_str_index(rt(object.as<StrObject>()->text), i, out); }));
        }
        case Kind::Bytes: {
            const std::string& b = object.as<BytesObject>()->bytes;
            return PyValue::integer(static_cast<unsigned char>(b[position(*this, need_int(index, "an index"), b.size(), "index out of range")]));
        }
        case Kind::Range: {
            const auto* r = object.as<RangeObject>();
            if (!r->is_static()) throw NotSupported("a subscript of a range with run-time bounds");
            int64_t n = r->length(), step = r->step.as_int(), start = r->start.as_int();
            if (const auto* s = index.get_if<SliceObject>()) {
                SliceRange p = slice_range(*this, *s, n);
                return heap_.make<RangeObject>(PyValue::integer(start + p.start * step), PyValue::integer(start + p.stop * step), PyValue::integer(step * p.step));
            }
            if (!is_index(*this, index)) raise_error("TypeError", "range indices must be integers or slices, not {}", type_name(index));
            return PyValue::integer(start + step * static_cast<int64_t>(position(*this, need_int(index, "a range index"), static_cast<size_t>(n), "range object index out of range")));
        }
        case Kind::RunTimeList: return run_time_list_item(object.as<RunTimeListObject>(), index);
        case Kind::Class: {
            const auto* c = object.as<ClassObject>();
            PyValue m = c->lookup(symbol("__class_getitem__"));
            if (!m.is_unbound()) return call(m, Values{object, index});
            if (m = Evaluator::metaclass_method(c, "__getitem__"); !m.is_unbound()) return call(m, Values{object, index});
            return object;  // `list[int]`, `Optional[Tensor]` in annotations
        }
        case Kind::Instance: {
            PyValue m = class_of(object)->lookup(symbol("__getitem__"));
            if (!m.is_unbound()) return call(m, Values{object, index});
            const auto* i = object.as<InstanceObject>();
            if (!i->native.is_unbound()) {
                if (PyValue missing = i->cls->lookup(symbol("__missing__")); !missing.is_unbound() && i->native.is(Kind::Dict) && !i->native.as<DictObject>()->find(hash_key(*this, index)))
                    return call(missing, Values{object, index});
                return get_item(i->native, index);
            }
            break;
        }
        default:
            if (Protocol* p = protocol_of(object))
                if (PyValue v = p->get_item(*this, object, index); !v.is_unbound()) return v;
            break;
    }
    raise_error("TypeError", "'{}' object is not subscriptable", type_name(object));
}

void Interpreter::set_item(PyValue object, PyValue index, PyValue value) {
    if (object.is(Kind::Optional)) object = evaluator_->present(object, "TypeError: 'NoneType' object does not support item assignment");
    switch (object.kind()) {
        case Kind::Unusable: evaluator_->unusable(object);
        case Kind::List: {
            const auto* l = object.as<ListObject>();
            if (const auto* s = index.get_if<SliceObject>()) {
                Values items = iterate(value);
                SliceRange r = slice_range(*this, *s, static_cast<int64_t>(l->items.size()));
                auto& target = heap_.change(l).items;
                if (r.step == 1) {
                    auto at = target.begin() + r.start;
                    at = target.erase(at, at + r.count);
                    target.insert(at, items.begin(), items.end());
                    return;
                }
                if (static_cast<int64_t>(items.size()) != r.count)
                    raise_error("ValueError", "attempt to assign sequence of size {} to extended slice of size {}", items.size(), r.count);
                for (int64_t k = 0; k < r.count; ++k) target[static_cast<size_t>(r.start + k * r.step)] = items[static_cast<size_t>(k)];
                return;
            }
            if (!is_index(*this, index)) raise_error("TypeError", "list indices must be integers or slices, not {}", type_name(index));
            index = index_value(*this, index);
            if (index.is_dynamic()) return set_list_at_run_time(l, index, value);
            heap_.set_item(l, position(*this, need_int(index, "a list index"), l->items.size(), "list assignment index out of range"), value);
            return;
        }
        case Kind::Dict: return dict_set(object, index, value);
        case Kind::RunTimeList: return set_run_time_list_item(object.as<RunTimeListObject>(), index, value);
        case Kind::Instance: {
            PyValue m = class_of(object)->lookup(symbol("__setitem__"));
            if (!m.is_unbound()) {
                call(m, Values{object, index, value});
                return;
            }
            if (PyValue inner = object.as<InstanceObject>()->native; !inner.is_unbound()) return set_item(inner, index, value);
            break;
        }
        default:
            if (Protocol* p = protocol_of(object); p && p->set_item(*this, object, index, value)) return;
            break;
    }
    raise_error("TypeError", "'{}' object does not support item assignment", type_name(object));
}

void Interpreter::del_item(PyValue object, PyValue index) {
    if (const auto* l = object.get_if<ListObject>()) {
        if (const auto* s = index.get_if<SliceObject>()) {
            SliceRange r = slice_range(*this, *s, static_cast<int64_t>(l->items.size()));
            std::vector<size_t> places;
            for (int64_t k = 0; k < r.count; ++k) places.push_back(static_cast<size_t>(r.start + k * r.step));
            std::sort(places.rbegin(), places.rend());
            auto& items = heap_.change(l).items;
            for (size_t p : places) items.erase(items.begin() + static_cast<std::ptrdiff_t>(p));
            return;
        }
        size_t at = position(*this, need_int(index, "a list index"), l->items.size(), "list assignment index out of range");
        auto& items = heap_.change(l).items;
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
        return;
    }
    if (const auto* d = object.get_if<DictObject>()) {
        std::string hash = hash_key(*this, index);
        if (!d->find(hash)) throw Raised{key_error(index), span(), std::nullopt};
        heap_.change(d).erase(hash);
        return;
    }
    if (object.is(Kind::Instance)) {
        if (PyValue m = class_of(object)->lookup(symbol("__delitem__")); !m.is_unbound()) {
            call(m, Values{object, index});
            return;
        }
        if (PyValue inner = object.as<InstanceObject>()->native; !inner.is_unbound()) return del_item(inner, index);
    }
    if (object.is(Kind::Tensor)) {
        call_method(object, "__delitem__", Values{index});
        return;
    }
    raise_error("TypeError", "'{}' object doesn't support item deletion", type_name(object));
}

PyValue Interpreter::key_error(PyValue key) {
    auto* e = heap_.make<InstanceObject>(exception_class("KeyError"));
    e->attributes.set(symbol("args"), tuple({key}));
    return e;
}

PyValue Interpreter::length(PyValue v) {
    if (v.is(Kind::Optional)) v = evaluator_->present(v, "TypeError: object of type 'NoneType' has no len()");
    switch (v.kind()) {
        case Kind::Unusable: evaluator_->unusable(v);
        case Kind::List: return PyValue::integer(static_cast<int64_t>(v.as<ListObject>()->items.size()));
        case Kind::Tuple: return PyValue::integer(static_cast<int64_t>(v.as<TupleObject>()->items.size()));
        case Kind::Dict: return PyValue::integer(static_cast<int64_t>(v.as<DictObject>()->entries.size()));
        case Kind::Set: return PyValue::integer(static_cast<int64_t>(v.as<SetObject>()->table.entries.size()));
        case Kind::Bytes: return PyValue::integer(static_cast<int64_t>(v.as<BytesObject>()->bytes.size()));
        case Kind::Str: return PyValue::integer(sifr_str_length(rt(v.as<StrObject>()->text)));
        case Kind::Range:
            if (!v.as<RangeObject>()->is_static()) throw NotSupported("len() of a range with run-time bounds");
            return PyValue::integer(v.as<RangeObject>()->length());
        case Kind::RunTimeList: return run_time_list_length(v.as<RunTimeListObject>());
        case Kind::Class:
            if (PyValue m = Evaluator::metaclass_method(v.as<ClassObject>(), "__len__"); !m.is_unbound()) return call(m, Values{v});
            break;
        case Kind::Dynamic:
            if (v.is_str()) return emit_scalar("str_len"_op, {v.as_value()});
            break;
        case Kind::Instance: {
            PyValue m = class_of(v)->lookup(symbol("__len__"));
            if (!m.is_unbound()) return call(m, Values{v});
            if (PyValue inner = v.as<InstanceObject>()->native; !inner.is_unbound()) return length(inner);
            break;
        }
        default:
            if (Protocol* p = protocol_of(v))
                if (PyValue n = p->len(*this, v); !n.is_unbound()) return n;
            break;
    }
    raise_error("TypeError", "object of type '{}' has no len()", type_name(v));
}

namespace {

std::vector<std::string> code_points(const std::string& s) {
    std::vector<std::string> r;
    for (size_t i = 0; i < s.size();) {
        size_t n = 1;
        while (i + n < s.size() && (static_cast<unsigned char>(s[i + n]) & 0xC0) == 0x80) ++n;
        r.push_back(s.substr(i, n));
        i += n;
    }
    return r;
}

/// Items that are taken from a list while a script may change it: by position.
PyValue next_of_list(Interpreter& in, IteratorObject& it) {
    const Values& items = it.state.as<ListObject>()->items;
    if (it.position >= items.size()) return {};
    (void)in;
    return items[it.position++];
}

PyValue next_of_range(Interpreter&, IteratorObject& it) {
    const auto* r = it.state.as<RangeObject>();
    if (static_cast<int64_t>(it.position) >= r->length()) return {};
    return PyValue::integer(r->start.as_int() + r->step.as_int() * static_cast<int64_t>(it.position++));
}

PyValue next_by_index(Interpreter& in, IteratorObject& it) {
    try {
        return in.get_item(it.state, PyValue::integer(static_cast<int64_t>(it.position++)));
    } catch (const ScriptError& e) {
        if (e.type == "IndexError" || e.type == "StopIteration") return {};
        throw;
    } catch (const Raised& r) {
        const std::string& name = in.class_of(r.exception)->name;
        if (name == "IndexError" || name == "StopIteration") return {};
        throw;
    }
}

PyValue next_by_method(Interpreter& in, IteratorObject& it) {
    try {
        return in.call_method(it.state, "__next__");
    } catch (const ScriptError& e) {
        if (e.type == "StopIteration") return {};
        throw;
    } catch (const Raised& r) {
        if (in.class_of(r.exception)->name == "StopIteration") return {};
        throw;
    }
}

}  // namespace

PyValue Interpreter::iter(PyValue v) {
    if (v.is(Kind::Optional)) v = evaluator_->present(v, "TypeError: 'NoneType' object is not iterable");
    switch (v.kind()) {
        case Kind::Unusable: evaluator_->unusable(v);
        case Kind::Iterator: return v;
        case Kind::List: {
            auto* it = heap_.make<IteratorObject>();
            it->type_name = "list_iterator";
            it->state = v;
            it->next = next_of_list;
            return it;
        }
        case Kind::Tuple: return iterator("tuple_iterator", v.as<TupleObject>()->items);
        case Kind::Dict:
        case Kind::Set: {
            Values keys;
            for (const auto& e : v.is(Kind::Dict) ? v.as<DictObject>()->entries : v.as<SetObject>()->table.entries) keys.push_back(e.key);
            return iterator(v.is(Kind::Dict) ? "dict_keyiterator" : "set_iterator", std::move(keys));
        }
        case Kind::Str: {
            Values items;
            for (std::string& c : code_points(v.as<StrObject>()->text)) items.push_back(str(std::move(c)));
            return iterator("str_iterator", std::move(items));
        }
        case Kind::Bytes: {
            Values items;
            for (char c : v.as<BytesObject>()->bytes) items.push_back(PyValue::integer(static_cast<unsigned char>(c)));
            return iterator("bytes_iterator", std::move(items));
        }
        case Kind::Range: {
            if (!v.as<RangeObject>()->is_static()) throw NeedStatic("a range with run-time bounds in this place", "loop over it with `for`");
            auto* it = heap_.make<IteratorObject>();
            it->type_name = "range_iterator";
            it->state = v;
            it->next = next_of_range;
            return it;
        }
        case Kind::RunTimeList: {
            const auto* l = v.as<RunTimeListObject>();
            if (l->static_length < 0) throw NeedStatic("a list whose length is known only at run time in this place", "loop over it with `for`");
            Values items;
            for (int64_t i = 0; i < l->static_length; ++i) items.push_back(run_time_list_item(l, PyValue::integer(i)));
            return iterator("list_iterator", std::move(items));
        }
        case Kind::Instance: {
            const ClassObject* cls = class_of(v);
            PyValue m = cls->lookup(symbol("__iter__"));
            if (!m.is_unbound()) {
                PyValue made = call(m, Values{v});
                if (made.is(Kind::Iterator)) return made;
                if (find_attr(made, symbol("__next__")).is_unbound()) raise_error("TypeError", "iter() returned non-iterator of type '{}'", type_name(made));
                auto* it = heap_.make<IteratorObject>();
                it->type_name = type_name(made);
                it->state = made;
                it->next = next_by_method;
                return it;
            }
            if (!cls->lookup(symbol("__getitem__")).is_unbound()) {
                auto* it = heap_.make<IteratorObject>();
                it->type_name = "iterator";
                it->state = v;
                it->next = next_by_index;
                return it;
            }
            if (PyValue inner = v.as<InstanceObject>()->native; !inner.is_unbound()) return iter(inner);
            break;
        }
        case Kind::Class:
            if (PyValue m = Evaluator::metaclass_method(v.as<ClassObject>(), "__iter__"); !m.is_unbound()) return iter(call(m, Values{v}));
            break;
        default:
            if (Protocol* p = protocol_of(v))
                if (PyValue it = p->iter(*this, v); !it.is_unbound()) return it;
            break;
    }
    raise_error("TypeError", "'{}' object is not iterable", type_name(v));
}

PyValue Interpreter::next(PyValue iterator) {
    const auto* it = iterator.as<IteratorObject>();
    IteratorObject& changed = heap_.change(it);
    if (changed.next) return changed.next(*this, changed);
    if (changed.position >= changed.items.size()) return {};
    return changed.items[changed.position++];
}

Values Interpreter::iterate(PyValue v) {
    if (const auto* l = v.get_if<ListObject>()) return l->items;
    if (const auto* t = v.get_if<TupleObject>()) return t->items;
    PyValue it = iter(v);
    Values items;
    for (;;) {
        PyValue item = next(it);
        if (item.is_unbound()) return items;
        items.push_back(item);
        if (static_cast<int64_t>(items.size()) > 10 * options_.unroll_limit) throw NotSupported("an iteration that does not end within a million items");
    }
}

}  // namespace sifr::capture
