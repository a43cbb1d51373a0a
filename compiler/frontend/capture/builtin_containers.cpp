// list, tuple, dict, set and their methods; a list may live at run time (RunTimeList).
#include <algorithm>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/operators.h"
#include "compiler/frontend/capture/runtime_text.h"

namespace sifr::capture {

namespace {

using K = Type::Kind;

PyValue held(PyValue v) {
    if (const auto* i = v.get_if<InstanceObject>(); i && !i->native.is_unbound()) return i->native;
    return v;
}

void exactly(Interpreter& in, const Args& args, const char* name, size_t n) {
    if (args.size() == n + 1) return;
    if (n == 0) in.raise_error("TypeError", "{}() takes no arguments ({} given)", name, args.size() - 1);
    if (n == 1) in.raise_error("TypeError", "{}() takes exactly one argument ({} given)", name, args.size() - 1);
    in.raise_error("TypeError", "{} expected {} arguments, got {}", name, n, args.size() - 1);
}

const ListObject& static_list(Interpreter& in, PyValue v, const char* method) {
    v = held(v);
    if (const auto* l = v.get_if<ListObject>()) return *l;
    if (v.is(Kind::RunTimeList)) throw NotSupported(fmt::format("list.{}() of a list that grows at run time", method));
    in.raise_error("TypeError", "descriptor '{}' for 'list' objects doesn't apply to a '{}' object", method, in.type_name(v));
}

void append_at_run_time(Interpreter& in, const RunTimeListObject* l, PyValue v) {
    if (l->element.is_tensor() || (!v.is_number() && !v.is_str())) throw NotSupported("appending a value of another kind to a list that grows at run time");
    if (Interpreter::scalar_kind(v) != l->element.kind) throw NotSupported(fmt::format("appending '{}' to a list of {} that grows at run time", in.type_name(v), l->element.text()));
    in.builder().emit_typed("list_append"_op, {l->list, in.to_ir(v, l->element.kind)}, {}, {});
    RunTimeListObject& changed = in.heap().change(l);
    if (changed.static_length >= 0) ++changed.static_length;
}

bool static_equal(Interpreter& in, PyValue a, PyValue b) { return a.same(b) || in.is_true(in.equal(a, b), "an equality of list items"); }

PyValue make_list(Interpreter& in, Args& args) {
    if (args.size() < 2) return in.list({});
    if (const auto* l = args[1].get_if<RunTimeListObject>(); l && l->static_length < 0) return in.call_method(args[1], "copy");
    return in.list(in.iterate(args[1]));
}
PyValue make_tuple(Interpreter& in, Args& args) {
    if (args.size() < 2) return in.tuple({});
    if (args[1].is(Kind::Tuple) && args[1].as<TupleObject>()->cls == in.builtin_class("tuple")) return args[1];
    return in.tuple(in.iterate(args[1]));
}

template <bool frozen>
PyValue make_set(Interpreter& in, Args& args) {
    auto* s = in.heap().make<SetObject>();
    s->frozen = frozen;
    if (args.size() > 1)
        for (PyValue v : in.iterate(args[1])) {
            std::string h = hash_key(in, v);
            if (!s->table.find(h)) s->table.set(h, v, PyValue::none());
        }
    return s;
}

void update_dict(Interpreter& in, PyValue d, const Args& args, size_t from) {
    if (args.size() > from) {
        PyValue source = held(args[from]);
        if (const auto* other = source.get_if<DictObject>()) {
            std::vector<DictObject::Entry> entries = other->entries;
            for (const auto& e : entries) in.dict_set(d, e.key, e.value);
        } else if (PyValue keys = in.find_attr(source, symbol("keys")); !keys.is_unbound()) {
            for (PyValue k : in.iterate(in.call(keys))) in.dict_set(d, k, in.get_item(source, k));
        } else {
            int64_t n = 0;
            for (PyValue pair : in.iterate(source)) {
                Values kv;
                try {
                    kv = in.iterate(pair);
                } catch (const ScriptError&) {
                    in.raise_error("TypeError", "cannot convert dictionary update sequence element #{} to a sequence", n);
                }
                if (kv.size() != 2) in.raise_error("ValueError", "dictionary update sequence element #{} has length {}; 2 is required", n, kv.size());
                in.dict_set(d, kv[0], kv[1]);
                ++n;
            }
        }
    }
    for (const auto& [name, value] : args.keywords) in.dict_set(d, in.str(*name), value);
}

PyValue make_dict(Interpreter& in, Args& args) {
    PyValue d = in.dict();
    update_dict(in, d, args, 1);
    return d;
}

const DictObject& dict_of(PyValue v) { return *held(v).as<DictObject>(); }

// Views of a dict (keys, values, items) are taken as lists when they are made, with their own types' names.
PyValue dict_view(Interpreter& in, PyValue self, int what) {
    Values items;
    for (const auto& e : dict_of(self).entries) {
        if (e.value.is_unbound()) continue;
        items.push_back(what == 0 ? e.key : what == 1 ? e.value : in.tuple({e.key, e.value}));
    }
    static const char* names[] = {"dict_keys", "dict_values", "dict_items"};
    const ClassObject* cls = in.builtin_class(names[what]);
    return in.tuple_of(cls, std::move(items));
}

void bind_list(Interpreter& in) {
    auto* c = const_cast<ClassObject*>(in.builtin_class("list"));
    c->construct = make_list;
    in.add_method(c, "append", [](Interpreter& i, Args& args) {
        exactly(i, args, "list.append", 1);
        PyValue self = held(args[0]);
        if (const auto* l = self.get_if<RunTimeListObject>()) append_at_run_time(i, l, args[1]);
        else i.heap().change(self.as<ListObject>()).items.push_back(args[1]);
        return PyValue::none();
    });
    in.add_method(c, "extend", [](Interpreter& i, Args& args) {
        exactly(i, args, "list.extend", 1);
        PyValue self = held(args[0]);
        Values more = i.iterate(args[1]);
        if (const auto* l = self.get_if<RunTimeListObject>()) {
            for (PyValue v : more) append_at_run_time(i, l, v);
        } else {
            auto& items = i.heap().change(self.as<ListObject>()).items;
            items.insert(items.end(), more.begin(), more.end());
        }
        return PyValue::none();
    });
    in.add_method(c, "insert", [](Interpreter& i, Args& args) {
        exactly(i, args, "insert", 2);
        const ListObject& l = static_list(i, args[0], "insert");
        auto n = static_cast<int64_t>(l.items.size());
        int64_t at = i.need_int(args[1], "a list index");
        if (at < 0) at = std::max<int64_t>(0, at + n);
        at = std::min(at, n);
        auto& items = i.heap().change(&l).items;
        items.insert(items.begin() + at, args[2]);
        return PyValue::none();
    });
    in.add_method(c, "pop", [](Interpreter& i, Args& args) -> PyValue {
        PyValue self = held(args[0]);
        if (const auto* l = self.get_if<RunTimeListObject>()) {
            PyValue at = args.size() > 1 ? args[1] : PyValue::integer(-1);
            if (l->element.is_tensor()) throw NotSupported("pop() of a run-time list of tensors");
            PyValue v = i.emit_scalar("list_pop"_op, {l->list, i.to_ir(at, K::I64)});
            RunTimeListObject& changed = i.heap().change(l);
            if (changed.static_length > 0) --changed.static_length;
            return v;
        }
        const ListObject& l = static_list(i, args[0], "pop");
        if (l.items.empty()) i.raise_error("IndexError", "pop from empty list");
        int64_t n = static_cast<int64_t>(l.items.size()), at = args.size() > 1 ? i.need_int(args[1], "a list index") : -1;
        if (at < 0) at += n;
        if (at < 0 || at >= n) i.raise_error("IndexError", "pop index out of range");
        auto& items = i.heap().change(&l).items;
        PyValue v = items[static_cast<size_t>(at)];
        items.erase(items.begin() + at);
        return v;
    });
    in.add_method(c, "remove", [](Interpreter& i, Args& args) {
        exactly(i, args, "list.remove", 1);
        const ListObject& l = static_list(i, args[0], "remove");
        for (size_t k = 0; k < l.items.size(); ++k)
            if (static_equal(i, l.items[k], args[1])) {
                auto& items = i.heap().change(&l).items;
                items.erase(items.begin() + static_cast<std::ptrdiff_t>(k));
                return PyValue::none();
            }
        i.raise_error("ValueError", "list.remove(x): x not in list");
    });
    in.add_method(c, "clear", [](Interpreter& i, Args& args) {
        i.heap().change(&static_list(i, args[0], "clear")).items.clear();
        return PyValue::none();
    });
    in.add_method(c, "reverse", [](Interpreter& i, Args& args) {
        auto& items = i.heap().change(&static_list(i, args[0], "reverse")).items;
        std::reverse(items.begin(), items.end());
        return PyValue::none();
    });
    in.add_method(c, "copy", [](Interpreter& i, Args& args) -> PyValue {
        if (const auto* l = held(args[0]).get_if<RunTimeListObject>()) return i.run_time_list_item(l, i.slice(PyValue::none(), PyValue::none(), PyValue::none()));
        return i.list(static_list(i, args[0], "copy").items);
    });
    for (const char* name : {"list", "tuple"}) {
        const ClassObject* k = in.builtin_class(name);
        bool tuple = k != c;
        in.add_method(k, "index", [tuple](Interpreter& i, Args& args) {
            Values items = tuple ? args[0].as<TupleObject>()->items : static_list(i, args[0], "index").items;
            auto n = static_cast<int64_t>(items.size());
            int64_t from = args.size() > 2 ? i.need_int(args[2], "a list index") : 0, to = args.size() > 3 ? i.need_int(args[3], "a list index") : n;
            if (from < 0) from = std::max<int64_t>(0, from + n);
            if (to < 0) to += n;
            for (int64_t at = from; at < std::min(to, n); ++at)
                if (static_equal(i, items[static_cast<size_t>(at)], args[1])) return PyValue::integer(at);
            if (tuple) i.raise_error("ValueError", "tuple.index(x): x not in tuple");
            i.raise_error("ValueError", "{} is not in list", i.static_repr(args[1]));
        });
        in.add_method(k, "count", [tuple](Interpreter& i, Args& args) {
            int64_t n = 0;
            for (PyValue v : tuple ? args[0].as<TupleObject>()->items : static_list(i, args[0], "count").items) n += static_equal(i, v, args[1]);
            return PyValue::integer(n);
        });
    }
    const_cast<ClassObject*>(in.builtin_class("tuple"))->construct = make_tuple;
}

void bind_dict(Interpreter& in) {
    auto* c = const_cast<ClassObject*>(in.builtin_class("dict"));
    c->construct = make_dict;
    for (const char* name : {"dict_keys", "dict_values", "dict_items"}) {
        ClassObject* view = in.add_class(name, "builtins", in.builtin_class("tuple"), nullptr);
        std::string n = name;
        in.add_method(view, "__repr__", [n](Interpreter& i, Args& args) {
            return i.concat({i.str(n + "("), i.repr_of(i.list(args[0].as<TupleObject>()->items)), i.str(")")});
        });
    }
    in.add_method(c, "keys", [](Interpreter& i, Args& args) { return dict_view(i, args[0], 0); });
    in.add_method(c, "values", [](Interpreter& i, Args& args) { return dict_view(i, args[0], 1); });
    in.add_method(c, "items", [](Interpreter& i, Args& args) { return dict_view(i, args[0], 2); });
    in.add_method(c, "get", [](Interpreter& i, Args& args) -> PyValue {
        PyValue otherwise = args.size() > 2 ? args[2] : PyValue::none();
        if (args[1].is_dynamic()) {
            PyValue is_in = i.contains(held(args[0]), args[1]);
            if (is_in.is(Kind::Bool)) return is_in.as_bool() ? i.get_item(held(args[0]), args[1]) : otherwise;
            return i.fork_if(is_in.as_value(), [&] { return i.get_item(held(args[0]), args[1]); }, [&] { return otherwise; });
        }
        const PyValue* v = dict_of(args[0]).find(hash_key(i, args[1]));
        return v && !v->is_unbound() ? *v : otherwise;
    });
    in.add_method(c, "setdefault", [](Interpreter& i, Args& args) -> PyValue {
        std::string h = hash_key(i, args[1]);
        if (const PyValue* v = dict_of(args[0]).find(h); v && !v->is_unbound()) return *v;
        PyValue v = args.size() > 2 ? args[2] : PyValue::none();
        i.heap().set_item(&dict_of(args[0]), h, args[1], v);
        return v;
    });
    in.add_method(c, "pop", [](Interpreter& i, Args& args) -> PyValue {
        std::string h = hash_key(i, args[1]);
        if (const PyValue* v = dict_of(args[0]).find(h); v && !v->is_unbound()) {
            PyValue r = *v;
            i.heap().change(&dict_of(args[0])).erase(h);
            return r;
        }
        if (args.size() > 2) return args[2];
        throw Raised{i.key_error(args[1]), i.span(), std::nullopt};
    });
    in.add_method(c, "popitem", [](Interpreter& i, Args& args) -> PyValue {
        const DictObject& d = dict_of(args[0]);
        bool first = args.size() > 1 && !i.is_true(args[1]);
        if (PyValue last = args.keyword("last"); !last.is_unbound()) first = !i.is_true(last);
        if (d.entries.empty()) throw Raised{i.key_error(i.str("popitem(): dictionary is empty")), i.span(), std::nullopt};
        DictObject::Entry e = first ? d.entries.front() : d.entries.back();
        i.heap().change(&d).erase(hash_key(i, e.key));
        return i.tuple({e.key, e.value});
    });
    in.add_method(c, "update", [](Interpreter& i, Args& args) {
        update_dict(i, held(args[0]), args, 1);
        return PyValue::none();
    });
    in.add_method(c, "copy", [](Interpreter& i, Args& args) -> PyValue { return i.heap().make<DictObject>(dict_of(args[0])); });
    in.add_method(c, "clear", [](Interpreter& i, Args& args) {
        DictObject& d = i.heap().change(&dict_of(args[0]));
        d.entries.clear();
        d.index.clear();
        return PyValue::none();
    });
    in.add_static_method(c, "fromkeys", [](Interpreter& i, Args& args) {
        PyValue d = i.dict();
        for (PyValue k : i.iterate(args[0])) i.dict_set(d, k, args.size() > 1 ? args[1] : PyValue::none());
        return d;
    });
}

SetObject& change_set(Interpreter& in, PyValue v) {
    const auto* s = held(v).as<SetObject>();
    if (s->frozen) in.raise_error("AttributeError", "'frozenset' object has no attribute 'add'");
    return in.heap().change(s);
}

PyValue as_set(Interpreter& in, PyValue v) {
    if (held(v).is(Kind::Set)) return held(v);
    Args args;
    args.positional = {PyValue(), v};
    return make_set<false>(in, args);
}

void bind_set(Interpreter& in) {
    auto* c = const_cast<ClassObject*>(in.builtin_class("set"));
    auto* f = const_cast<ClassObject*>(in.builtin_class("frozenset"));
    c->construct = make_set<false>;
    f->construct = make_set<true>;
    in.add_builtin("frozenset", f);
    in.add_method(c, "add", [](Interpreter& i, Args& args) {
        exactly(i, args, "set.add", 1);
        std::string h = hash_key(i, args[1]);
        SetObject& s = change_set(i, args[0]);
        if (!s.table.find(h)) s.table.set(h, args[1], PyValue::none());
        return PyValue::none();
    });
    for (bool strict : {true, false})
        in.add_method(c, strict ? "remove" : "discard", [strict](Interpreter& i, Args& args) {
            if (!change_set(i, args[0]).table.erase(hash_key(i, args[1])) && strict) throw Raised{i.key_error(args[1]), i.span(), std::nullopt};
            return PyValue::none();
        });
    in.add_method(c, "pop", [](Interpreter& i, Args& args) {
        SetObject& s = change_set(i, args[0]);
        if (s.table.entries.empty()) throw Raised{i.key_error(i.str("pop from an empty set")), i.span(), std::nullopt};
        PyValue v = s.table.entries.front().key;
        s.table.erase(hash_key(i, v));
        return v;
    });
    in.add_method(c, "clear", [](Interpreter& i, Args& args) {
        SetObject& s = change_set(i, args[0]);
        s.table.entries.clear();
        s.table.index.clear();
        return PyValue::none();
    });
    in.add_method(c, "update", [](Interpreter& i, Args& args) {
        for (size_t k = 1; k < args.size(); ++k)
            for (PyValue v : i.iterate(args[k])) {
                std::string h = hash_key(i, v);
                SetObject& s = change_set(i, args[0]);
                if (!s.table.find(h)) s.table.set(h, v, PyValue::none());
            }
        return PyValue::none();
    });
    struct Row {
        const char* name;
        syntax::BinaryOp op;
    };
    for (const ClassObject* k : {static_cast<const ClassObject*>(c), static_cast<const ClassObject*>(f)}) {
        for (Row r : {Row{"union", syntax::BinaryOp::BitOr}, Row{"intersection", syntax::BinaryOp::BitAnd}, Row{"difference", syntax::BinaryOp::Sub},
                      Row{"symmetric_difference", syntax::BinaryOp::BitXor}})
            in.add_method(k, r.name, [r](Interpreter& i, Args& args) {
                PyValue s = i.heap().make<SetObject>(*held(args[0]).as<SetObject>());
                for (size_t n = 1; n < args.size(); ++n) s = static_binary(i, r.op, s, as_set(i, args[n]));
                return s;
            });
        in.add_method(k, "copy", [](Interpreter& i, Args& args) -> PyValue { return i.heap().make<SetObject>(*held(args[0]).as<SetObject>()); });
        in.add_method(k, "issubset", [](Interpreter& i, Args& args) { return i.compare(syntax::CompareOp::LtE, held(args[0]), as_set(i, args[1])); });
        in.add_method(k, "issuperset", [](Interpreter& i, Args& args) { return i.compare(syntax::CompareOp::GtE, held(args[0]), as_set(i, args[1])); });
        in.add_method(k, "isdisjoint", [](Interpreter& i, Args& args) {
            return PyValue::boolean(static_binary(i, syntax::BinaryOp::BitAnd, held(args[0]), as_set(i, args[1])).as<SetObject>()->table.entries.empty());
        });
    }
}

}  // namespace

void bind_containers(Interpreter& in) {
    bind_list(in);
    bind_dict(in);
    bind_set(in);
    bind_sorting(in);
}

}  // namespace sifr::capture
