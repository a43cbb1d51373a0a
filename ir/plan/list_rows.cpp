// Lists that grow, while a plan is interpreted. A list of tensors holds blocks of bytes.

#include <map>

#include "ir/base/check.h"
#include "ir/plan/host_value.h"

namespace sifr {

namespace {

using Values = std::vector<HostValue>;
using Call = HostCall;

int32_t kind_of(const Type& element) {
    switch (element.kind) {
        case Type::Kind::I64: return SIFR_LIST_I64;
        case Type::Kind::F64: return SIFR_LIST_F64;
        case Type::Kind::Bool: return SIFR_LIST_BOOL;
        case Type::Kind::Str: return SIFR_LIST_STR;
        case Type::Kind::Tensor: return SIFR_LIST_TENSOR;
        default: SIFR_UNREACHABLE("a list of {}", element.text());
    }
}

HostValue wrapped(sifr_list* list, int32_t element) {
    HostValue v;
    v.kind = Type::Kind::List;
    v.element = element;
    v.list = std::shared_ptr<sifr_list>(list, sifr_list_free);
    return v;
}

sifr_list* list(const Call& c, size_t k = 0) { return c.args[k].list.get(); }

/// An element as the runtime wants it: a pointer to a value of its kind.
struct Element {
    explicit Element(const Call& c, const HostValue* v) {
        if (!v) {
            at = c.tensors[0].data;
            return;
        }
        i64 = v->i64;
        f64 = v->f64;
        boolean = v->i64 != 0;
        text = v->str();
        at = v->kind == Type::Kind::F64 ? static_cast<const void*>(&f64) : v->kind == Type::Kind::Bool ? static_cast<const void*>(&boolean)
             : v->kind == Type::Kind::Str ? static_cast<const void*>(&text) : static_cast<const void*>(&i64);
    }
    Element(const Element&) = delete;
    Element& operator=(const Element&) = delete;
    int64_t i64 = 0;
    double f64 = 0;
    uint8_t boolean = 0;
    sifr_str text{};
    const void* at = nullptr;
};
const HostValue* operand(const Call& c, size_t k) { return k < c.args.size() ? &c.args[k] : nullptr; }

HostValue element_at(const Call& c, sifr_list* l, int64_t position) {
    void* data = sifr_list_data(l);
    switch (c.results[0].kind) {
        case Type::Kind::I64: return HostValue::of(static_cast<int64_t*>(data)[position]);
        case Type::Kind::F64: return HostValue::of(static_cast<double*>(data)[position]);
        case Type::Kind::Bool: return HostValue::of_bool(static_cast<uint8_t*>(data)[position] != 0);
        case Type::Kind::Str: return HostValue::of(static_cast<sifr_str*>(data)[position]);
        default: SIFR_UNREACHABLE("an element of {}", c.results[0].text());
    }
}
void copy_block(const Call& c, const void* block) {
    const sifr_tensor& t = c.tensors.back();
    sifr_copy(t.data, block, sifr_tensor_numel(&t) * sifr_dtype_size(t.dtype));
}

Values append(const Call& c) {
    const HostValue* v = operand(c, 1);
    if (!v) sifr_list_append_tensor(list(c), c.tensors[0].data);
    else if (v->kind == Type::Kind::F64) sifr_list_append_f64(list(c), v->f64);
    else if (v->kind == Type::Kind::Bool) sifr_list_append_bool(list(c), v->i64 != 0);
    else if (v->kind == Type::Kind::Str) sifr_list_append_str(list(c), v->str());
    else sifr_list_append_i64(list(c), v->i64);
    return {};
}
Values get(const Call& c) {
    int64_t position = 0;
    if (!c.results.empty()) {
        c.done(sifr_list_position(list(c), c.i(1), &position));
        return {element_at(c, list(c), position)};
    }
    const void* block = nullptr;
    c.done(sifr_list_get_tensor(list(c), c.i(1), &block));
    copy_block(c, block);
    return {};
}
Values pop(const Call& c) {
    int64_t position = 0;
    if (sifr_list_length(list(c)) > 0 && !c.results.empty()) {
        c.done(sifr_list_position(list(c), c.i(1), &position));
        HostValue v = element_at(c, list(c), position);
        double unused[2];
        c.done(sifr_list_pop(list(c), c.i(1), unused));
        return {v};
    }
    double unused[2];
    c.done(sifr_list_pop(list(c), c.i(1), c.results.empty() ? c.tensors.back().data : unused));
    return {};
}
Values sum(const Call& c) {
    if (c.results[0].kind == Type::Kind::F64) {
        double r = 0;
        c.done(sifr_list_sum_f64(list(c), &r));
        return {HostValue::of(r)};
    }
    int64_t r = 0;
    c.done(sifr_list_sum_i64(list(c), &r));
    return {HostValue::of(r)};
}
template <class F>
HostRow extremum(F f) {
    return [f](const Call& c) {
        int64_t position = 0;
        c.done(f(list(c), &position));
        return Values{element_at(c, list(c), position)};
    };
}
template <class F>
HostRow effect(F f) {
    return [f](const Call& c) {
        f(c);
        return Values{};
    };
}

const std::map<std::string_view, HostRow>& rows() {
    static const std::map<std::string_view, HostRow> table = {
        {"list_new", [](const Call& c) {
             const Type& e = c.results[0].members.at(0);
             return Values{wrapped(sifr_list_new(kind_of(e), e.is_tensor() ? e.bytes() : 0), kind_of(e))};
         }},
        {"list_append", append},
        {"list_len", [](const Call& c) { return Values{HostValue::of(sifr_list_length(list(c)))}; }},
        {"list_get", get},
        {"list_set", effect([](const Call& c) { c.done(sifr_list_set(list(c), c.i(1), Element(c, operand(c, 2)).at)); })},
        {"list_pop", pop},
        {"list_slice", [](const Call& c) {
             auto bound = [&](size_t k) { return c.args[k].kind == Type::Kind::Optional && !c.args[k].i64 ? SIFR_SLICE_NONE : c.args[k].members.empty() ? c.i(k) : c.args[k].members[0].i64; };
             sifr_list* out = nullptr;
             c.done(sifr_list_slice(list(c), bound(1), bound(2), bound(3), &out));
             return Values{wrapped(out, c.args[0].element)};
         }},
        {"list_copy", [](const Call& c) { return Values{wrapped(sifr_list_copy(list(c)), c.args[0].element)}; }},
        {"list_extend", effect([](const Call& c) { sifr_list_extend(list(c), list(c, 1)); })},
        {"list_insert", effect([](const Call& c) { sifr_list_insert(list(c), c.i(1), Element(c, operand(c, 2)).at); })},
        {"list_clear", effect([](const Call& c) { sifr_list_clear(list(c)); })},
        {"list_reverse", effect([](const Call& c) { sifr_list_reverse(list(c)); })},
        {"list_sort", effect([](const Call& c) { sifr_list_sort(list(c), c.attrs.get_or("reverse", false)); })},
        {"list_sorted", [](const Call& c) {
             HostValue v = wrapped(sifr_list_copy(list(c)), c.args[0].element);
             sifr_list_sort(v.list.get(), c.attrs.get_or("reverse", false));
             return Values{v};
         }},
        {"list_order", [](const Call& c) { return Values{wrapped(sifr_list_order(list(c), c.attrs.get_or("reverse", false)), SIFR_LIST_I64)}; }},
        {"str_split", [](const Call& c) {
             sifr_list* out = nullptr;
             c.done(sifr_str_split(c.s(0), c.s(1), c.i(2), &out));
             return Values{wrapped(out, SIFR_LIST_STR)};
         }},
        {"str_split_words", [](const Call& c) {
             sifr_list* out = nullptr;
             c.done(sifr_str_split_words(c.s(0), c.i(1), &out));
             return Values{wrapped(out, SIFR_LIST_STR)};
         }},
        {"list_contains", [](const Call& c) { return Values{HostValue::of_bool(sifr_list_contains(list(c), Element(c, operand(c, 1)).at))}; }},
        {"list_index_of", [](const Call& c) {
             int64_t r = 0;
             c.done(sifr_list_index_of(list(c), Element(c, operand(c, 1)).at, &r));
             return Values{HostValue::of(r)};
         }},
        {"list_count", [](const Call& c) { return Values{HostValue::of(sifr_list_count(list(c), Element(c, operand(c, 1)).at))}; }},
        {"list_sum", sum},
        {"list_min", extremum(sifr_list_argmin)},
        {"list_max", extremum(sifr_list_argmax)},
        {"list_str", [](const Call& c) { return Values{HostValue::of(sifr_list_str(list(c)))}; }},
        {"tensor_to_list", [](const Call& c) { return Values{wrapped(sifr_list_of_tensor(&c.tensors[0]), kind_of(c.results[0].members.at(0)))}; }},
        {"list_to_tensor", [](const Call& c) {
             const sifr_tensor& out = c.tensors.back();
             sifr_list* l = list(c);
             int64_t n = std::min(sifr_list_length(l), sifr_tensor_numel(&out));
             const void* data = sifr_list_data(l);
             for (int64_t k = 0; k < n; ++k) {
                 switch (c.args[0].element) {
                     case SIFR_LIST_F64: sifr_store_f64(&out, k, static_cast<const double*>(data)[k]); break;
                     case SIFR_LIST_I64: sifr_store_i64(&out, k, static_cast<const int64_t*>(data)[k]); break;
                     case SIFR_LIST_BOOL: sifr_store_i64(&out, k, static_cast<const uint8_t*>(data)[k]); break;
                     default: SIFR_UNREACHABLE("a tensor of a list of other things than numbers");
                 }
             }
             return c.results.empty() ? Values{} : Values{HostValue::of(n)};
         }},
    };
    return table;
}

}  // namespace

const HostRow* list_row(std::string_view name) {
    auto it = rows().find(name);
    return it == rows().end() ? nullptr : &it->second;
}

}  // namespace sifr
