// What of `collections` needs native classes: OrderedDict, defaultdict, Counter's table, named tuples.
#include <algorithm>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/evaluator.h"

namespace sifr::capture {

namespace {

PyValue make_dict_of(Interpreter& in, const ClassObject* cls, Args args) {
    args.positional[0] = in.builtin_class("dict");
    PyValue d = in.builtin_class("dict")->construct(in, args);
    in.heap().change(d.as<DictObject>()).cls = cls;
    return d;
}

PyValue named_tuple(Interpreter& in, Args& args) {
    ArgReader a(in, args, "namedtuple(typename, field_names, *, rename=False, defaults=None, module=None)");
    std::string name = in.need_str(a["typename"], "a type name");
    std::vector<std::string> fields;
    if (a["field_names"].is(Kind::Str)) {
        std::string part;
        for (char c : a["field_names"].as<StrObject>()->text + " ") {
            if (c != ' ' && c != ',') part += c;
            else if (!part.empty()) fields.push_back(std::move(part)), part.clear();
        }
    } else {
        for (PyValue f : in.iterate(a["field_names"])) fields.push_back(in.need_str(f, "a field name"));
    }
    Values defaults = a.has("defaults") && !a["defaults"].is_none() ? in.iterate(a["defaults"]) : Values{};
    ClassObject* cls = in.add_class(name, "__main__", in.builtin_class("tuple"), nullptr);
    cls->construct = [fields, defaults, name](Interpreter& i, Args& given) -> PyValue {
        const auto* c = given[0].as<ClassObject>();
        size_t n = given.size() - 1;
        if (n > fields.size()) i.raise_error("TypeError", "{}.__new__() takes {} positional arguments but {} were given", name, fields.size() + 1, n + 1);
        Values items(fields.size());
        for (size_t k = 0; k < n; ++k) items[k] = given[k + 1];
        for (const auto& [key, value] : given.keywords) {
            auto it = std::find(fields.begin(), fields.end(), *key);
            if (it == fields.end()) i.raise_error("TypeError", "{}.__new__() got an unexpected keyword argument '{}'", name, *key);
            items[static_cast<size_t>(it - fields.begin())] = value;
        }
        size_t first_default = fields.size() - defaults.size();
        for (size_t k = 0; k < fields.size(); ++k) {
            if (!items[k].is_unbound()) continue;
            if (k < first_default) i.raise_error("TypeError", "{}.__new__() missing 1 required positional argument: '{}'", name, fields[k]);
            items[k] = defaults[k - first_default];
        }
        return i.tuple_of(c, std::move(items));
    };
    Values names;
    for (size_t k = 0; k < fields.size(); ++k) {
        names.push_back(in.str(fields[k]));
        in.add_property(cls, fields[k], [k](Interpreter&, Args& self) { return self[0].as<TupleObject>()->items[k]; });
    }
    in.heap().change(cls).attributes.set(symbol("_fields"), in.tuple(names));
    in.heap().change(cls).attributes.set(symbol("__match_args__"), in.tuple(names));
    in.add_method(cls, "__repr__", [fields](Interpreter& i, Args& self) {
        Values parts{i.str(i.type_name(self[0]) + "(")};
        for (size_t k = 0; k < fields.size(); ++k) {
            parts.push_back(i.str((k ? ", " : "") + fields[k] + "="));
            parts.push_back(i.repr_of(self[0].as<TupleObject>()->items[k]));
        }
        parts.push_back(i.str(")"));
        return i.concat(parts);
    });
    in.add_method(cls, "_asdict", [fields](Interpreter& i, Args& self) {
        PyValue d = i.dict();
        for (size_t k = 0; k < fields.size(); ++k) i.dict_set(d, i.str(fields[k]), self[0].as<TupleObject>()->items[k]);
        return d;
    });
    in.add_method(cls, "_replace", [fields](Interpreter& i, Args& given) {
        Values items = given[0].as<TupleObject>()->items;
        for (const auto& [key, value] : given.keywords) {
            auto it = std::find(fields.begin(), fields.end(), *key);
            if (it == fields.end()) i.raise_error("ValueError", "Got unexpected field names: ['{}']", *key);
            items[static_cast<size_t>(it - fields.begin())] = value;
        }
        return i.tuple_of(given[0].as<TupleObject>()->cls, std::move(items));
    });
    return cls;
}

}  // namespace

void bind_collections(Interpreter& in, const ModuleObject* m) {
    const ClassObject* dict = in.builtin_class("dict");
    ClassObject* ordered = in.add_class("OrderedDict", "collections", dict, nullptr);
    ordered->construct = [](Interpreter& i, Args& args) { return make_dict_of(i, args[0].as<ClassObject>(), args); };
    in.add_method(ordered, "move_to_end", [](Interpreter& i, Args& args) {
        DictObject& d = i.heap().change(args[0].as<DictObject>());
        std::string h = hash_key(i, args[1]);
        const PyValue* found = d.find(h);
        if (!found) throw Raised{i.key_error(args[1]), i.span(), std::nullopt};
        PyValue v = *found, last = args.size() > 2 ? args[2] : args.keyword("last");
        d.erase(h);
        if (last.is_unbound() || i.is_true(last)) {
            d.set(h, args[1], v);
        } else {
            for (auto& [key, at] : d.index) ++at;
            d.entries.insert(d.entries.begin(), {args[1], v});
            d.index[h] = 0;
        }
        return PyValue::none();
    });
    in.set_global(m, "OrderedDict", ordered);
    ClassObject* with_default = in.add_class("defaultdict", "collections", dict, nullptr);
    with_default->construct = [](Interpreter& i, Args& args) {
        Args rest = args;
        PyValue factory = args.size() > 1 ? args[1] : PyValue::none();
        if (rest.size() > 1) rest.positional.erase(rest.positional.begin() + 1);
        PyValue d = make_dict_of(i, args[0].as<ClassObject>(), rest);
        i.heap().change(d.as<DictObject>()).default_factory = factory;
        return d;
    };
    in.set_global(m, "defaultdict", with_default);
    ClassObject* counter = in.add_class("Counter", "collections", dict, nullptr);
    auto count = [](Interpreter& i, PyValue self, const Args& args, int64_t sign) {
        const auto* d = self.as<DictObject>();
        auto add = [&](PyValue key, PyValue n) {
            std::string h = hash_key(i, key);
            const PyValue* old = d->find(h);
            PyValue by = sign > 0 ? n : i.unary(syntax::UnaryOperator::Minus, n);
            i.heap().set_item(d, h, key, old ? i.binary(syntax::BinaryOp::Add, *old, by) : by);
        };
        if (args.size() > 1) {
            if (const auto* other = args[1].get_if<DictObject>()) {
                std::vector<DictObject::Entry> entries = other->entries;
                for (const auto& e : entries) add(e.key, e.value);
            } else {
                for (PyValue key : i.iterate(args[1])) add(key, PyValue::integer(1));
            }
        }
        for (const auto& [name, value] : args.keywords) add(i.str(*name), value);
    };
    counter->construct = [count](Interpreter& i, Args& args) {
        Args nothing;
        nothing.positional = {args[0]};
        PyValue d = make_dict_of(i, args[0].as<ClassObject>(), nothing);
        count(i, d, args, 1);
        return d;
    };
    in.add_method(counter, "update", [count](Interpreter& i, Args& args) {
        count(i, args[0], args, 1);
        return PyValue::none();
    });
    in.add_method(counter, "subtract", [count](Interpreter& i, Args& args) {
        count(i, args[0], args, -1);
        return PyValue::none();
    });
    in.add_method(counter, "most_common", [](Interpreter& i, Args& args) {
        std::vector<DictObject::Entry> entries = args[0].as<DictObject>()->entries;
        std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) { return i.is_true(i.compare(syntax::CompareOp::Gt, a.value, b.value)); });
        if (args.size() > 1 && !args[1].is_none()) entries.resize(std::min(entries.size(), static_cast<size_t>(i.need_int(args[1], "a count"))));
        Values items;
        for (const auto& e : entries) items.push_back(i.tuple({e.key, e.value}));
        return i.list(std::move(items));
    });
    in.add_method(counter, "elements", [](Interpreter& i, Args& args) {
        Values items;
        for (const auto& e : args[0].as<DictObject>()->entries)
            for (int64_t k = 0; k < i.need_int(e.value, "a count"); ++k) items.push_back(e.key);
        return i.iterator("itertools.chain", std::move(items));
    });
    in.add_method(counter, "total", [](Interpreter& i, Args& args) {
        PyValue n = PyValue::integer(0);
        for (const auto& e : args[0].as<DictObject>()->entries) n = i.binary(syntax::BinaryOp::Add, n, e.value);
        return n;
    });
    in.set_global(m, "Counter", counter);
    in.add_function(m, "namedtuple", named_tuple);
}

}  // namespace sifr::capture
