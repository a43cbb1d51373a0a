// sorted() and list.sort(), by keys that are known now or at run time.
#include <algorithm>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/operators.h"

namespace sifr::capture {

namespace {

using K = Type::Kind;

bool less(Interpreter& in, PyValue a, PyValue b) { return in.is_true(in.compare(syntax::CompareOp::Lt, a, b), "an order of items to sort"); }

/// Something in it is known at run time only.
bool is_run_time(PyValue v) {
    if (v.is_dynamic() || v.is(Kind::Tensor) || v.is(Kind::RunTimeList)) return true;
    const Values* items = v.is(Kind::Tuple) ? &v.as<TupleObject>()->items : v.is(Kind::List) ? &v.as<ListObject>()->items : nullptr;
    return items && std::any_of(items->begin(), items->end(), is_run_time);
}

/// Numbers or strings that are compared one after the other: the members of a tuple key. One entry for each item to sort.
using Column = Values;

/// False where the keys are not alike: then their order must be known.
bool add_columns(Interpreter& in, const Values& keys, std::vector<Column>& columns) {
    auto all = [&](auto&& test) { return std::all_of(keys.begin(), keys.end(), test); };
    if (all([](PyValue v) { return v.is_number() || v.is_str() || v.is(Kind::Tensor); })) {
        Column column;
        for (PyValue v : keys) column.push_back(v.is(Kind::Tensor) ? in.call_method(v, "item") : v);
        bool real = std::any_of(column.begin(), column.end(), [](PyValue v) { return v.is_number() && Interpreter::scalar_kind(v) == K::F64; });
        for (PyValue& v : column) {
            if (v.is_str() != column[0].is_str() || v.is(Kind::BigInt)) return false;
            if (v.is_number()) v = PyValue::dynamic(in.to_ir(v, real ? K::F64 : K::I64), real ? K::F64 : K::I64);
        }
        columns.push_back(std::move(column));
        return true;
    }
    bool tuples = all([](PyValue v) { return v.is(Kind::Tuple); });
    if (!tuples && !all([](PyValue v) { return v.is(Kind::List); })) return false;
    auto members = [&](PyValue v) -> const Values& { return tuples ? v.as<TupleObject>()->items : v.as<ListObject>()->items; };
    for (PyValue v : keys)
        if (members(v).size() != members(keys[0]).size()) return false;
    for (size_t m = 0; m < members(keys[0]).size(); ++m) {
        Values part;
        for (PyValue v : keys) part.push_back(members(v)[m]);
        if (!add_columns(in, part, columns)) return false;
    }
    return true;
}

ValueId list_of(Interpreter& in, const Values& items, K kind) {
    Builder& b = in.builder();
    ValueId list = in.function()[b.emit_typed("list_new"_op, {}, {}, {Type::list(Type{kind})})].results[0];
    for (PyValue v : items) b.emit_typed("list_append"_op, {list, in.to_ir(v, kind)}, {}, {});
    return list;
}

PyValue item_of(Interpreter& in, ValueId list, PyValue index, K kind) { return PyValue::dynamic(in.builder().emit("list_get"_op, {list, in.to_ir(index, K::I64)}), kind); }

/// The position of the item that stands at each place of the sorted sequence. Sorted by the last column first: sorting is stable.
Values order_of(Interpreter& in, const std::vector<Column>& columns, size_t n, bool reverse) {
    Values order;
    for (size_t k = 0; k < n; ++k) order.push_back(PyValue::integer(static_cast<int64_t>(k)));
    for (auto column = columns.rbegin(); column != columns.rend(); ++column) {
        K kind = Interpreter::scalar_kind((*column)[0]);
        ValueId keys = list_of(in, *column, kind);
        bool first = column == columns.rbegin();
        ValueId sorted = keys, before{};
        if (!first) {
            Values moved;
            for (PyValue at : order) moved.push_back(item_of(in, keys, at, kind));
            sorted = list_of(in, moved, kind);
            before = list_of(in, order, K::I64);
        }
        InstId id = in.builder().emit_typed("list_order"_op, {sorted}, attrs({{"reverse", reverse}}), {Type::list(Type::i64())});
        ValueId places = in.function()[id].results[0];
        for (size_t k = 0; k < n; ++k) {
            PyValue place = item_of(in, places, PyValue::integer(static_cast<int64_t>(k)), K::I64);
            order[k] = first ? place : item_of(in, before, place, K::I64);
        }
    }
    return order;
}

/// `items[k]` for each k of `order`. Items must be alike; lists and objects are copies that nobody may change, nor the originals.
Values chosen(Interpreter& in, const Values& items, const Values& order) {
    auto all = [&](auto&& test) { return std::all_of(items.begin(), items.end(), test); };
    PyValue first = items[0];
    if (all([&](PyValue v) { return v.same(first); })) return Values(order.size(), first);
    Values out;
    if (all([](PyValue v) { return (v.is_number() && !v.is(Kind::BigInt)) || v.is_str(); })) {
        K kind = Interpreter::scalar_kind(first);
        if (!all([&](PyValue v) { return Interpreter::scalar_kind(v) == kind; })) in.need_static(order[0], "the place of an item among unlike ones");
        ValueId list = list_of(in, items, kind);
        for (PyValue at : order) out.push_back(item_of(in, list, at, kind));
        return out;
    }
    if (all([](PyValue v) { return v.is(Kind::Tensor); })) {
        for (PyValue at : order) {
            std::function<PyValue(size_t)> from = [&](size_t k) -> PyValue {
                if (k + 1 == items.size()) return items[k];
                PyValue here = in.emit_scalar("ieq"_op, {in.to_ir(at, K::I64), in.function().add_constant(static_cast<int64_t>(k))});
                return in.fork_if(here.as_value(), [&] { return items[k]; }, [&] { return from(k + 1); });
            };
            out.push_back(from(0));
        }
        return out;
    }
    bool alike = first.is_object() && all([&](PyValue v) { return v.kind() == first.kind() && v.object()->same_structure(*first.object()) && in.class_of(v) == in.class_of(first); });
    if (!alike || !(first.is(Kind::Tuple) || first.is(Kind::List) || first.is(Kind::Dict) || first.is(Kind::Instance))) in.need_static(order[0], "the place of an item among unlike ones");
    std::vector<Values> slots;  // of each item
    for (PyValue v : items) {
        Values members;
        const_cast<Object*>(v.object())->visit_slots([&](const std::string&, PyValue& slot) { members.push_back(slot); });
        if (!slots.empty() && members.size() != slots[0].size()) in.need_static(order[0], "the place of an item among unlike ones");
        slots.push_back(std::move(members));
    }
    std::vector<Values> columns;  // of each member: what stands at each place
    for (size_t m = 0; m < slots[0].size(); ++m) {
        Values column;
        for (const Values& members : slots) column.push_back(members[m]);
        columns.push_back(chosen(in, column, order));
    }
    for (size_t k = 0; k < order.size(); ++k) {
        Object* made = nullptr;
        switch (first.kind()) {
            case Kind::Tuple: made = in.heap().make<TupleObject>(*first.as<TupleObject>()); break;
            case Kind::List: made = in.heap().make<ListObject>(*first.as<ListObject>()); break;
            case Kind::Dict: made = in.heap().make<DictObject>(*first.as<DictObject>()); break;
            default: made = in.heap().make<InstanceObject>(*first.as<InstanceObject>()); break;
        }
        size_t m = 0;
        made->visit_slots([&](const std::string&, PyValue& slot) { slot = columns[m++][k]; });
        in.heap().freeze(made);
        out.emplace_back(made);
    }
    if (!first.is(Kind::Tuple))
        for (PyValue v : items) in.heap().freeze(v.object());
    return out;
}

Values sorted_items(Interpreter& in, Values items, PyValue key, bool reverse) {
    Values keys = items;
    if (!key.is_unbound() && !key.is_none())
        for (PyValue& k : keys) k = in.call(key, Values{k});
    if (items.size() > 1 && std::any_of(keys.begin(), keys.end(), is_run_time)) {
        std::vector<Column> columns;
        if (add_columns(in, keys, columns)) return chosen(in, items, order_of(in, columns, items.size(), reverse));
    }
    std::vector<size_t> order(items.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    // Python's sort is stable, also in reverse.
    std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) { return reverse ? less(in, keys[y], keys[x]) : less(in, keys[x], keys[y]); });
    Values out;
    for (size_t i : order) out.push_back(items[i]);
    return out;
}

PyValue run_time_list(Interpreter& in, ValueId list, const Type& element, int64_t length) {
    auto* made = in.heap().make<RunTimeListObject>();
    made->list = list;
    made->element = element;
    made->static_length = length;
    return made;
}

/// What a `key` is for `RunTimeList`s: none, or NotSupported.
bool plain(PyValue key) { return key.is_unbound() || key.is_none(); }

PyValue sorted(Interpreter& in, Args& args) {
    ArgReader a(in, args, "sorted(iterable, /, *, key=None, reverse=False)");
    bool reverse = a.has("reverse") && in.is_true(a["reverse"]);
    PyValue v = a["iterable"];
    if (const auto* l = v.get_if<RunTimeListObject>(); l && plain(a["key"]))
        return run_time_list(in, in.builder().emit("list_sorted"_op, {l->list}, attrs({{"reverse", reverse}})), l->element, l->static_length);
    Values items = in.iterate(v);
    bool scalars = !items.empty() && std::all_of(items.begin(), items.end(), [&](PyValue x) { return (x.is_number() || x.is_str()) && !x.is(Kind::BigInt) && Interpreter::scalar_kind(x) == Interpreter::scalar_kind(items[0]); });
    if (scalars && plain(a["key"]) && std::any_of(items.begin(), items.end(), [](PyValue x) { return x.is_dynamic(); })) {
        K kind = Interpreter::scalar_kind(items[0]);
        return run_time_list(in, in.builder().emit("list_sorted"_op, {list_of(in, items, kind)}, attrs({{"reverse", reverse}})), Type{kind}, static_cast<int64_t>(items.size()));
    }
    return in.list(sorted_items(in, std::move(items), a["key"], reverse));
}

PyValue sort(Interpreter& in, Args& args) {
    ArgReader a(in, args, "sort(self, *, key=None, reverse=False)");
    bool reverse = a.has("reverse") && in.is_true(a["reverse"]);
    PyValue self = a["self"];
    if (const auto* i = self.get_if<InstanceObject>(); i && !i->native.is_unbound()) self = i->native;
    if (const auto* l = self.get_if<RunTimeListObject>()) {
        if (!plain(a["key"])) throw NotSupported("list.sort() by a key, of a list that grows at run time");
        in.builder().emit_typed("list_sort"_op, {l->list}, attrs({{"reverse", reverse}}), {});
        return PyValue::none();
    }
    const auto* l = self.get_if<ListObject>();
    if (!l) in.raise_error("TypeError", "descriptor 'sort' for 'list' objects doesn't apply to a '{}' object", in.type_name(self));
    Values items = sorted_items(in, l->items, a["key"], reverse);
    in.heap().change(l).items = std::move(items);
    return PyValue::none();
}

}  // namespace

void bind_sorting(Interpreter& in) {
    in.add_builtin("sorted", in.native("sorted", sorted));
    in.add_method(in.builtin_class("list"), "sort", sort);
}

}  // namespace sifr::capture
