// Lists that grow while the program runs, as Python's: shared by those that name them, errors and their texts included.

#include <algorithm>
#include <numeric>

#include "ir/base/diagnostic.h"
#include "ir/interp/gradients.h"

namespace sifr {
namespace {

RunList& list(const Execution& x, size_t k = 0) { return *std::get<std::shared_ptr<RunList>>(x.in.at(k)); }

size_t position(const Execution& x, const RunList& l, int64_t index, const char* text) {
    int64_t n = static_cast<int64_t>(l.items.size());
    if (index < 0) index += n;
    if (index < 0 || index >= n) x.raise("IndexError", text);
    return static_cast<size_t>(index);
}

/// Tensors are values: what a list holds is not changed by later writes.
RunValue own(const RunValue& v) {
    const RunTensor* t = std::get_if<RunTensor>(&v);
    if (!t) return v;
    if (GradientRecorder::tracked(*t)) throw NotSupported("run-time lists of tensors with a history, in the interpreter of captured functions");
    return t->copied();
}

double number(const RunValue& v) {
    if (const bool* b = std::get_if<bool>(&v)) return *b ? 1 : 0;
    if (const int64_t* i = std::get_if<int64_t>(&v)) return static_cast<double>(*i);
    return std::get<double>(v);
}

/// Python's `<` on two elements of one kind.
bool less(const RunValue& a, const RunValue& b) {
    if (const std::string* s = std::get_if<std::string>(&a)) return sifr_str_compare(c_str(*s), c_str(std::get<std::string>(b))) < 0;
    if (const int64_t* i = std::get_if<int64_t>(&a)) return *i < std::get<int64_t>(b);
    return number(a) < number(b);
}

bool equal(const RunValue& a, const RunValue& b) {
    if (const std::string* s = std::get_if<std::string>(&a)) return *s == std::get<std::string>(b);
    if (const int64_t* i = std::get_if<int64_t>(&a)) return *i == std::get<int64_t>(b);
    return number(a) == number(b);
}

std::string shown(const RunValue& v) {
    if (const std::string* s = std::get_if<std::string>(&v)) return cpp_str(sifr_str_repr(c_str(*s)));
    if (const int64_t* i = std::get_if<int64_t>(&v)) return cpp_str(sifr_i64_str(*i));
    if (const bool* b = std::get_if<bool>(&v)) return cpp_str(sifr_bool_str(*b));
    if (const double* d = std::get_if<double>(&v)) return cpp_str(sifr_f64_str(*d));
    throw NotSupported("printing a list of tensors");
}

std::shared_ptr<RunList> sliced(const Execution& x) {
    const RunList& l = list(x);
    int64_t n = static_cast<int64_t>(l.items.size());
    int64_t step = x.is_none(3) ? 1 : x.i64(3);
    if (step == 0) x.raise("ValueError", "slice step cannot be zero");
    // Python's rule: bounds are clamped to what the direction can reach.
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
    auto clamped = [&](size_t k, int64_t missing) {
        if (x.is_none(k) || x.i64(k) == SIFR_SLICE_NONE) return missing;
        int64_t v = x.i64(k);
        if (v < 0) v += n;
        return std::clamp(v, low, high);
    };
    int64_t start = clamped(1, step < 0 ? high : low), stop = clamped(2, step < 0 ? low : high);
    auto out = std::make_shared<RunList>();
    out->element = l.element;
    for (int64_t i = start; step < 0 ? i > stop : i < stop; i += step) out->items.push_back(l.items[static_cast<size_t>(i)]);
    return out;
}

Results extreme(const Execution& x, bool max) {
    const RunList& l = list(x);
    if (l.items.empty()) x.raise("ValueError", max ? "max() arg is an empty sequence" : "min() arg is an empty sequence");
    const RunValue* best = &l.items[0];
    for (const RunValue& v : l.items)
        if (max ? less(*best, v) : less(v, *best)) best = &v;
    return {*best};
}

Results sum(const Execution& x) {
    const RunList& l = list(x);
    if (l.element.kind == Type::Kind::F64) {
        double total = 0;
        for (const RunValue& v : l.items) total += number(v);
        return {total};
    }
    int64_t total = 0;
    for (const RunValue& v : l.items) {
        int64_t i = std::holds_alternative<bool>(v) ? std::get<bool>(v) : std::get<int64_t>(v);
        x.require(sifr_i64_add(total, i, &total));
    }
    return {total};
}

void sort(RunList& l, bool reverse) {
    // Stable in both directions, as Python: equal elements keep their order.
    if (reverse) std::stable_sort(l.items.begin(), l.items.end(), [](const RunValue& a, const RunValue& b) { return less(b, a); });
    else std::stable_sort(l.items.begin(), l.items.end(), less);
}

/// torch.tensor(list) of numbers, torch.stack(list) of tensors.
Results to_tensor(const Execution& x) {
    const RunList& l = list(x);
    DType dtype = x.attr<DType>("dtype");
    Sizes sizes{static_cast<int64_t>(l.items.size())};
    if (!l.element.is_tensor()) {
        RunTensor out = RunTensor::make(dtype, sizes);
        for (size_t k = 0; k < l.items.size(); ++k) out.store(static_cast<int64_t>(k), element_of(l.items[k], dtype));
        if (x.inst.results.size() == 2) return {sizes[0], std::move(out)};
        return {std::move(out)};
    }
    sizes.insert(sizes.end(), l.element.sizes.begin(), l.element.sizes.end());
    RunTensor out = RunTensor::make(dtype, sizes);
    int64_t at = 0;
    for (const RunValue& v : l.items) {
        const RunTensor t = std::get<RunTensor>(v).cast(dtype);
        for (Walk w({&t.layout}); !w.done(); w.next()) out.store(at++, t.load(w.offset(0)));
    }
    return {std::move(out)};
}

std::shared_ptr<RunList> copied(const RunList& l) { return std::make_shared<RunList>(l); }

const NamedEvaluator table[] = {
    {"list_new",
     [](const Execution& x) {
         auto l = std::make_shared<RunList>();
         l->element = x.f.type(x.inst.results[0]).members.at(0);
         return Results{std::move(l)};
     }},
    {"list_append",
     [](const Execution& x) {
         list(x).items.push_back(own(x.in[1]));
         return Results{};
     }},
    {"list_len", [](const Execution& x) { return Results{static_cast<int64_t>(list(x).items.size())}; }},
    {"list_get", [](const Execution& x) { return Results{list(x).items[position(x, list(x), x.i64(1), "list index out of range")]}; }},
    {"list_set",
     [](const Execution& x) {
         list(x).items[position(x, list(x), x.i64(1), "list assignment index out of range")] = own(x.in[2]);
         return Results{};
     }},
    {"list_pop",
     [](const Execution& x) {
         RunList& l = list(x);
         if (l.items.empty()) x.raise("IndexError", "pop from empty list");
         size_t at = position(x, l, x.i64(1), "pop index out of range");
         RunValue v = l.items[at];
         l.items.erase(l.items.begin() + static_cast<ptrdiff_t>(at));
         return Results{std::move(v)};
     }},
    {"list_slice", [](const Execution& x) { return Results{sliced(x)}; }},
    {"list_copy", [](const Execution& x) { return Results{copied(list(x))}; }},
    {"list_extend",
     [](const Execution& x) {
         std::vector<RunValue> more = list(x, 1).items;  // may be the same list
         RunList& l = list(x);
         l.items.insert(l.items.end(), more.begin(), more.end());
         return Results{};
     }},
    {"list_insert",
     [](const Execution& x) {
         RunList& l = list(x);
         int64_t n = static_cast<int64_t>(l.items.size()), at = x.i64(1) < 0 ? x.i64(1) + n : x.i64(1);
         l.items.insert(l.items.begin() + std::clamp<int64_t>(at, 0, n), own(x.in[2]));
         return Results{};
     }},
    {"list_clear",
     [](const Execution& x) {
         list(x).items.clear();
         return Results{};
     }},
    {"list_reverse",
     [](const Execution& x) {
         std::reverse(list(x).items.begin(), list(x).items.end());
         return Results{};
     }},
    {"list_sort",
     [](const Execution& x) {
         sort(list(x), x.inst.attrs.get_or("reverse", false));
         return Results{};
     }},
    {"list_sorted",
     [](const Execution& x) {
         std::shared_ptr<RunList> l = copied(list(x));
         sort(*l, x.inst.attrs.get_or("reverse", false));
         return Results{std::move(l)};
     }},
    {"list_order",
     [](const Execution& x) {
         const std::vector<RunValue>& items = list(x).items;
         bool reverse = x.inst.attrs.get_or("reverse", false);
         std::vector<int64_t> order(items.size());
         std::iota(order.begin(), order.end(), 0);
         std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
             const RunValue &u = items[static_cast<size_t>(a)], &v = items[static_cast<size_t>(b)];
             return reverse ? less(v, u) : less(u, v);
         });
         auto out = std::make_shared<RunList>();
         out->element = Type::i64();
         for (int64_t k : order) out->items.emplace_back(k);
         return Results{std::move(out)};
     }},
    {"list_contains",
     [](const Execution& x) {
         const RunList& l = list(x);
         return Results{std::any_of(l.items.begin(), l.items.end(), [&](const RunValue& v) { return equal(v, x.in[1]); })};
     }},
    {"list_index_of",
     [](const Execution& x) {
         const RunList& l = list(x);
         for (size_t k = 0; k < l.items.size(); ++k)
             if (equal(l.items[k], x.in[1])) return Results{static_cast<int64_t>(k)};
         x.raise("ValueError", shown(x.in[1]) + " is not in list");
     }},
    {"list_count",
     [](const Execution& x) {
         const RunList& l = list(x);
         return Results{static_cast<int64_t>(std::count_if(l.items.begin(), l.items.end(), [&](const RunValue& v) { return equal(v, x.in[1]); }))};
     }},
    {"list_sum", sum},
    {"list_min", [](const Execution& x) { return extreme(x, false); }},
    {"list_max", [](const Execution& x) { return extreme(x, true); }},
    {"list_str",
     [](const Execution& x) {
         std::string out = "[";
         const RunList& l = list(x);
         for (size_t k = 0; k < l.items.size(); ++k) out += (k != 0 ? ", " : "") + shown(l.items[k]);
         return Results{out + "]"};
     }},
    {"tensor_to_list",
     [](const Execution& x) {
         const RunTensor t = x.tensor(0).packed();
         auto items = std::make_shared<RunList>();
         items->element = x.f.type(x.inst.results[0]).members.at(0);
         for (int64_t k = 0, n = t.numel(); k < n; ++k) {
             ScalarValue v = t.load(t.layout.offset + k);
             if (is_float(t.dtype)) items->items.emplace_back(cast_value(v, t.dtype, DType::F64).f64);
             else if (t.dtype == DType::Bool) items->items.emplace_back(v.i64 != 0);
             else items->items.emplace_back(cast_value(v, t.dtype, DType::I64).i64);
         }
         return Results{std::move(items)};
     }},
    {"list_to_tensor", to_tensor},
};

}  // namespace

std::span<const NamedEvaluator> list_evaluators() { return table; }

}  // namespace sifr
