// enumerate, zip, map, filter, reversed, min, max, sum, any, all, iter, next.
#include <algorithm>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/operators.h"

namespace sifr::capture {

namespace {

using K = Type::Kind;

IteratorObject* lazy(Interpreter& in, const char* name, PyValue state, PyValue state2, PyValue (*next)(Interpreter&, IteratorObject&)) {
    auto* it = in.heap().make<IteratorObject>();
    it->type_name = name;
    it->state = state;
    it->state2 = state2;
    it->next = next;
    return it;
}

PyValue enumerate(Interpreter& in, Args& args) {
    ArgReader a(in, args, "enumerate(iterable, start=0)");
    PyValue start = a.has("start") ? a["start"] : PyValue::integer(0);
    return lazy(in, "enumerate", in.iter(a["iterable"]), start, [](Interpreter& i, IteratorObject& it) -> PyValue {
        PyValue item = i.next(it.state);
        if (item.is_unbound()) return item;
        PyValue n = it.state2;
        it.state2 = i.binary(syntax::BinaryOp::Add, n, PyValue::integer(1));
        return i.tuple({n, item});
    });
}

PyValue zip(Interpreter& in, Args& args) {
    Values sources;
    for (PyValue v : args.positional) sources.push_back(in.iter(v));
    bool strict = false;
    for (const auto& [name, value] : args.keywords) {
        if (*name != "strict") in.raise_error("TypeError", "zip() got an unexpected keyword argument '{}'", *name);
        strict = in.is_true(value);
    }
    return lazy(in, "zip", in.tuple(std::move(sources)), PyValue::boolean(strict), [](Interpreter& i, IteratorObject& it) -> PyValue {
        Values items, from = it.state.as<TupleObject>()->items;
        if (from.empty()) return {};
        for (size_t k = 0; k < from.size(); ++k) {
            PyValue v = i.next(from[k]);
            if (v.is_unbound()) {
                if (it.state2.as_bool() && k > 0) i.raise_error("ValueError", "zip() argument {} is shorter than argument{}", k + 1, k == 1 ? " 1" : fmt::format("s 1-{}", k));
                if (it.state2.as_bool())
                    for (size_t j = 1; j < from.size(); ++j)
                        if (!i.next(from[j]).is_unbound()) i.raise_error("ValueError", "zip() argument {} is longer than argument{}", j + 1, j == 1 ? " 1" : fmt::format("s 1-{}", j));
                return {};
            }
            items.push_back(v);
        }
        return i.tuple(std::move(items));
    });
}

PyValue map(Interpreter& in, Args& args) {
    if (args.size() < 2) in.raise_error("TypeError", "map() must have at least two arguments.");
    Values sources;
    for (size_t k = 1; k < args.size(); ++k) sources.push_back(in.iter(args[k]));
    return lazy(in, "map", in.tuple(std::move(sources)), args[0], [](Interpreter& i, IteratorObject& it) -> PyValue {
        Values items;
        Values from = it.state.as<TupleObject>()->items;
        for (PyValue f : from) {
            PyValue v = i.next(f);
            if (v.is_unbound()) return {};
            items.push_back(v);
        }
        return i.call(it.state2, std::move(items));
    });
}

PyValue filter(Interpreter& in, Args& args) {
    if (args.size() != 2) in.raise_error("TypeError", "filter expected 2 arguments, got {}", args.size());
    return lazy(in, "filter", in.iter(args[1]), args[0], [](Interpreter& i, IteratorObject& it) -> PyValue {
        for (;;) {
            PyValue v = i.next(it.state);
            if (v.is_unbound()) return v;
            if (i.is_true(it.state2.is_none() ? v : i.call(it.state2, Values{v}), "what a filter says")) return v;
        }
    });
}

PyValue reversed(Interpreter& in, Args& args) {
    ArgReader a(in, args, "reversed(sequence, /)");
    PyValue v = a["sequence"];
    if (PyValue m = v.is(Kind::Instance) ? in.class_of(v)->lookup(symbol("__reversed__")) : PyValue(); !m.is_unbound()) return in.iter(in.call(m, Values{v}));
    if (const auto* r = v.get_if<RangeObject>()) {
        if (r->is_static()) {
            int64_t n = r->length(), last = r->start.as_int() + (n - 1) * r->step.as_int();
            return in.iter(n == 0 ? v : PyValue(in.heap().make<RangeObject>(PyValue::integer(last), PyValue::integer(r->start.as_int() - r->step.as_int()), PyValue::integer(-r->step.as_int()))));
        }
    }
    if (v.is(Kind::Set) || v.is(Kind::Iterator) || v.is_number()) in.raise_error("TypeError", "'{}' object is not reversible", in.type_name(v));
    Values items = in.iterate(v);
    std::reverse(items.begin(), items.end());
    return in.iterator(v.is(Kind::List) ? "list_reverseiterator" : "reversed", std::move(items));
}

/// The smaller (or larger) of two numbers at run time; the first one when they are equal.
PyValue pick(Interpreter& in, bool smallest, PyValue best, PyValue best_key, PyValue v, PyValue key, PyValue& key_out) {
    PyValue better = in.truth(in.compare(smallest ? syntax::CompareOp::Lt : syntax::CompareOp::Gt, key, best_key));
    if (better.is(Kind::Bool)) {
        key_out = better.as_bool() ? key : best_key;
        return better.as_bool() ? v : best;
    }
    auto select = [&](PyValue yes, PyValue no) -> PyValue {
        if (yes.is_number() && no.is_number() && Interpreter::scalar_kind(yes) == Interpreter::scalar_kind(no)) {
            K kind = Interpreter::scalar_kind(yes);
            return PyValue::dynamic(in.builder().emit("sel"_op, {better.as_value(), in.to_ir(yes, kind), in.to_ir(no, kind)}), kind);
        }
        return in.fork_if(better.as_value(), [&] { return yes; }, [&] { return no; });
    };
    PyValue chosen = select(v, best);
    key_out = v.same(key) && best.same(best_key) ? chosen : select(key, best_key);
    return chosen;
}

template <bool smallest>
PyValue extreme(Interpreter& in, Args& args) {
    static constexpr const char* name = smallest ? "min" : "max";
    PyValue key = args.keyword("key"), otherwise = args.keyword("default");
    if (args.size() == 0) in.raise_error("TypeError", "{} expected at least 1 argument, got 0", name);
    if (args.size() == 1)
        if (const auto* l = args[0].get_if<RunTimeListObject>(); l && key.is_unbound() && !l->element.is_tensor()) {
            PyValue n = in.run_time_list_length(l);
            PyValue some = n.is(Kind::Int) ? PyValue::boolean(n.as_int() > 0) : in.emit_scalar("igt"_op, {n.as_value(), in.function().add_constant(int64_t{0})});
            in.check(some, "ValueError", std::string(name) + "() arg is an empty sequence");
            return in.emit_scalar(smallest ? "list_min"_op : "list_max"_op, {l->list});
        }
    Values items = args.size() == 1 ? in.iterate(args[0]) : args.positional;
    if (items.empty()) {
        if (!otherwise.is_unbound()) return otherwise;
        in.raise_error("ValueError", "{}() arg is an empty sequence", name);
    }
    bool by_key = !key.is_unbound() && !key.is_none();
    PyValue best = items[0], best_key = by_key ? in.call(key, Values{best}) : best;
    for (size_t k = 1; k < items.size(); ++k) {
        PyValue v = items[k], v_key = by_key ? in.call(key, Values{v}) : v, next_key;
        best = pick(in, smallest, best, best_key, v, v_key, next_key);
        best_key = next_key;
    }
    return best;
}

PyValue sum(Interpreter& in, Args& args) {
    ArgReader a(in, args, "sum(iterable, /, start=0)");
    PyValue total = a.has("start") ? a["start"] : PyValue::integer(0);
    if (total.is_str()) in.raise_error("TypeError", "sum() can't sum strings [use ''.join(seq) instead]");
    if (const auto* l = a["iterable"].get_if<RunTimeListObject>(); l && !l->element.is_tensor()) {
        PyValue s = in.emit_scalar("list_sum"_op, {l->list});
        return a.has("start") ? in.binary(syntax::BinaryOp::Add, total, s) : s;
    }
    for (PyValue v : in.iterate(a["iterable"])) total = in.binary(syntax::BinaryOp::Add, total, v);
    return total;
}

/// any: or; all: and. Items behind the one that decides are not looked at.
template <bool any>
PyValue decide(Interpreter& in, const Values& items, size_t from) {
    for (size_t k = from; k < items.size(); ++k) {
        PyValue t = in.truth(items[k]);
        if (t.is(Kind::Bool)) {
            if (t.as_bool() == any) return t;
            continue;
        }
        PyValue rest = decide<any>(in, items, k + 1);
        if (rest.is(Kind::Bool)) return rest.as_bool() == any ? rest : t;
        return in.emit_scalar(any ? "bor"_op : "band"_op, {t.as_value(), rest.as_value()});
    }
    return PyValue::boolean(!any);
}

/// any() and all() of bools in a list whose length is known only at run time; unbound for others.
PyValue decide_at_run_time(Interpreter& in, PyValue v, bool any) {
    const auto* l = v.get_if<RunTimeListObject>();
    if (!l || l->static_length >= 0 || l->element.kind != K::Bool) return {};
    PyValue found = in.contains(v, PyValue::boolean(any));
    return any ? found : in.emit_scalar("bnot"_op, {found.as_value()});
}

}  // namespace

void bind_iteration(Interpreter& in) {
    auto add = [&](const char* name, NativeCode code) { in.add_builtin(name, in.native(name, std::move(code))); };
    add("enumerate", enumerate);
    add("zip", zip);
    add("map", map);
    add("filter", filter);
    add("reversed", reversed);
    add("min", extreme<true>);
    add("max", extreme<false>);
    add("sum", sum);
    add("any", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "any(iterable, /)");
        if (PyValue v = decide_at_run_time(i, a["iterable"], true); !v.is_unbound()) return v;
        return decide<true>(i, i.iterate(a["iterable"]), 0);
    });
    add("all", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "all(iterable, /)");
        if (PyValue v = decide_at_run_time(i, a["iterable"], false); !v.is_unbound()) return v;
        return decide<false>(i, i.iterate(a["iterable"]), 0);
    });
    add("iter", [](Interpreter& i, Args& args) {
        ArgReader a(i, args, "iter(iterable, /)");
        return i.iter(a["iterable"]);
    });
    add("next", [](Interpreter& i, Args& args) -> PyValue {
        PyValue it = args[0];
        if (!it.is(Kind::Iterator)) {
            PyValue m = i.find_attr(it, symbol("__next__"));
            if (m.is_unbound()) i.raise_error("TypeError", "'{}' object is not an iterator", i.type_name(it));
            if (args.size() < 2) return i.call(m);
            try {
                return i.call(m);
            } catch (const ScriptError& e) {
                if (e.type != "StopIteration") throw;
            } catch (const Raised& r) {
                if (i.class_of(r.exception)->name != "StopIteration") throw;
            }
            return args[1];
        }
        PyValue v = i.next(it);
        if (!v.is_unbound()) return v;
        if (args.size() > 1) return args[1];
        i.raise_error("StopIteration", "");
    });
}

}  // namespace sifr::capture
