// Strings, prints and the world outside while a plan is interpreted: the runtime's own functions.

#include <map>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/plan/host_value.h"

namespace sifr {

namespace {

using Values = std::vector<HostValue>;
using Call = HostCall;

sifr_str text(const std::string& s) { return {s.data(), static_cast<int64_t>(s.size())}; }

std::string formatted(const Call& c, const HostValue& v, const std::string& spec) {
    sifr_str out{};
    switch (v.kind) {
        case Type::Kind::I64: c.done(sifr_format_i64(v.i64, text(spec), &out)); break;
        case Type::Kind::F64: c.done(sifr_format_f64(v.f64, text(spec), &out)); break;
        case Type::Kind::Bool: c.done(sifr_format_bool(v.i64 != 0, text(spec), &out)); break;
        case Type::Kind::Str: c.done(sifr_format_str(v.str(), text(spec), &out)); break;
        default: SIFR_UNREACHABLE("a format of something that is no number and no text");
    }
    return HostValue::of(out).text;
}

std::string repr(const HostValue& v) {
    switch (v.kind) {
        case Type::Kind::I64: return HostValue::of(sifr_i64_str(v.i64)).text;
        case Type::Kind::F64: return HostValue::of(sifr_f64_str(v.f64)).text;
        case Type::Kind::Bool: return v.i64 != 0 ? "True" : "False";
        case Type::Kind::Str: return HostValue::of(sifr_str_repr(v.str())).text;
        default: SIFR_UNREACHABLE("a repr of something that is no number and no text");
    }
}

Values no_gpu(const Call&) { throw NotSupported("what a GPU is, in an interpreter"); }

/// `{}`, `{:3d}`, `{!r}`, `{!r:>8}`; `{{` and `}}` stand for braces.
Values format(const Call& c) {
    auto spec = c.attrs.get<std::string>("spec");
    std::string out;
    size_t next = 0;
    for (size_t i = 0; i < spec.size(); ++i) {
        char ch = spec[i];
        if ((ch == '{' || ch == '}') && i + 1 < spec.size() && spec[i + 1] == ch) {
            out += ch;
            ++i;
            continue;
        }
        if (ch != '{') {
            out += ch;
            continue;
        }
        size_t end = spec.find('}', i);
        SIFR_CHECK(end != std::string::npos && next < c.args.size(), "the format '{}' of {} values", spec, c.args.size());
        std::string field = spec.substr(i + 1, end - i - 1);
        HostValue value = c.args[next++];
        if (field.rfind("!r", 0) == 0) value = HostValue::of(repr(value)), field.erase(0, 2);
        else if (field.rfind("!s", 0) == 0) value = HostValue::of(formatted(c, value, "")), field.erase(0, 2);
        if (!field.empty() && field[0] == ':') field.erase(0, 1);
        out += formatted(c, value, field);
        i = end;
    }
    return {HostValue::of(out)};
}

int64_t bound(const HostValue& v) { return v.kind == Type::Kind::Optional ? (v.i64 ? v.members[0].i64 : SIFR_SLICE_NONE) : v.i64; }

template <class F>
HostRow to_str(F f) {
    return [f](const Call& c) {
        sifr_str out{};
        c.done(f(c, &out));
        return Values{HostValue::of(out)};
    };
}
template <class F>
HostRow plain(F f) { return [f](const Call& c) { return Values{f(c)}; }; }

const std::map<std::string_view, HostRow>& rows() {
    static const std::map<std::string_view, HostRow> table = {
        {"format", format},
        {"str_concat", plain([](const Call& c) { return HostValue::of(c.args[0].text + c.args[1].text); })},
        {"str_eq", plain([](const Call& c) { return HostValue::of_bool(sifr_str_equal(c.s(0), c.s(1))); })},
        {"str_lt", plain([](const Call& c) { return HostValue::of_bool(sifr_str_compare(c.s(0), c.s(1)) < 0); })},
        {"str_len", plain([](const Call& c) { return HostValue::of(sifr_str_length(c.s(0))); })},
        {"complex_str", plain([](const Call& c) { return HostValue::of(sifr_complex_str(c.args[0].f64, c.args[1].f64)); })},
        {"str_repr", plain([](const Call& c) { return HostValue::of(sifr_str_repr(c.s(0))); })},
        {"str_slice", to_str([](const Call& c, sifr_str* out) { return sifr_str_slice(c.s(0), bound(c.args[1]), bound(c.args[2]), bound(c.args[3]), out); })},
        {"str_index", to_str([](const Call& c, sifr_str* out) { return sifr_str_index(c.s(0), c.i(1), out); })},
        {"str_mul", to_str([](const Call& c, sifr_str* out) { return sifr_str_repeat(c.s(0), c.i(1), out); })},
        {"str_in", plain([](const Call& c) { return HostValue::of_bool(sifr_str_contains(c.s(1), c.s(0))); })},
        {"str_join", plain([](const Call& c) {
             std::vector<sifr_str> parts;
             for (size_t k = 1; k < c.args.size(); ++k) parts.push_back(c.s(k));
             return HostValue::of(sifr_str_join(c.s(0), parts.data(), static_cast<int64_t>(parts.size())));
         })},
        {"str_lower", to_str([](const Call& c, sifr_str* out) { return sifr_str_lower(c.s(0), out); })},
        {"str_upper", to_str([](const Call& c, sifr_str* out) { return sifr_str_upper(c.s(0), out); })},
        {"str_strip", plain([](const Call& c) { return HostValue::of(sifr_str_strip(c.s(0), {nullptr, 0})); })},
        {"str_lstrip", plain([](const Call& c) { return HostValue::of(sifr_str_lstrip(c.s(0), c.s(1))); })},
        {"str_rstrip", plain([](const Call& c) { return HostValue::of(sifr_str_rstrip(c.s(0), c.s(1))); })},
        {"str_capitalize", to_str([](const Call& c, sifr_str* out) { return sifr_str_capitalize(c.s(0), out); })},
        {"str_title", to_str([](const Call& c, sifr_str* out) { return sifr_str_title(c.s(0), out); })},
        {"str_swapcase", to_str([](const Call& c, sifr_str* out) { return sifr_str_swapcase(c.s(0), out); })},
        {"str_isdigit", plain([](const Call& c) { return HostValue::of_bool(sifr_str_isdigit(c.s(0))); })},
        {"str_isalpha", plain([](const Call& c) { return HostValue::of_bool(sifr_str_isalpha(c.s(0))); })},
        {"str_isalnum", plain([](const Call& c) { return HostValue::of_bool(sifr_str_isalnum(c.s(0))); })},
        {"str_isspace", plain([](const Call& c) { return HostValue::of_bool(sifr_str_isspace(c.s(0))); })},
        {"str_isupper", plain([](const Call& c) { return HostValue::of_bool(sifr_str_isupper(c.s(0))); })},
        {"str_islower", plain([](const Call& c) { return HostValue::of_bool(sifr_str_islower(c.s(0))); })},
        {"str_find", plain([](const Call& c) { return HostValue::of(sifr_str_find(c.s(0), c.s(1))); })},
        {"str_rfind", plain([](const Call& c) { return HostValue::of(sifr_str_rfind(c.s(0), c.s(1))); })},
        {"str_count", plain([](const Call& c) { return HostValue::of(sifr_str_count(c.s(0), c.s(1))); })},
        {"str_removeprefix", plain([](const Call& c) { return HostValue::of(sifr_str_removeprefix(c.s(0), c.s(1))); })},
        {"str_removesuffix", plain([](const Call& c) { return HostValue::of(sifr_str_removesuffix(c.s(0), c.s(1))); })},
        {"str_zfill", plain([](const Call& c) { return HostValue::of(sifr_str_zfill(c.s(0), c.i(1))); })},
        {"str_ljust", to_str([](const Call& c, sifr_str* out) { return sifr_str_ljust(c.s(0), c.i(1), c.s(2), out); })},
        {"str_rjust", to_str([](const Call& c, sifr_str* out) { return sifr_str_rjust(c.s(0), c.i(1), c.s(2), out); })},
        {"str_center", to_str([](const Call& c, sifr_str* out) { return sifr_str_center(c.s(0), c.i(1), c.s(2), out); })},
        {"str_replace", plain([](const Call& c) { return HostValue::of(sifr_str_replace(c.s(0), c.s(1), c.s(2), -1)); })},
        {"str_startswith", plain([](const Call& c) { return HostValue::of_bool(sifr_str_startswith(c.s(0), c.s(1))); })},
        {"str_endswith", plain([](const Call& c) { return HostValue::of_bool(sifr_str_endswith(c.s(0), c.s(1))); })},
        {"str_to_int", [](const Call& c) {
             int64_t r = 0;
             c.done(sifr_int_parse(c.s(0), 10, &r));
             return Values{HostValue::of(r)};
         }},
        {"str_to_float", [](const Call& c) {
             double r = 0;
             c.done(sifr_float_parse(c.s(0), &r));
             return Values{HostValue::of(r)};
         }},
        {"print", [](const Call& c) {
             sifr_print(c.s(0));
             return Values{};
         }},
        {"print_stderr", [](const Call& c) {
             sifr_print_stderr(c.s(0));
             return Values{};
         }},
        {"dump_bits", [](const Call& c) {
             sifr_dump_bits(c.s(0), &c.tensors[0]);
             return Values{};
         }},
        {"dump_f64", [](const Call& c) {
             sifr_dump_f64(c.s(0), c.f(1));
             return Values{};
         }},
        {"dump_i64", [](const Call& c) {
             sifr_dump_i64(c.s(0), c.i(1));
             return Values{};
         }},
        {"warn", [](const Call& c) {
             sifr_warn(c.attrs.get_or<std::string>("category", "UserWarning").c_str(), c.s(0), nullptr, c.line);
             return Values{};
         }},
        {"clock", plain([](const Call& c) {
             auto which = c.attrs.get_or<std::string>("which", "time");
             return HostValue::of(which == "perf_counter" ? sifr_perf_counter() : which == "process_time" ? sifr_process_time() : sifr_time());
         })},
        {"gpu_name", no_gpu},
        {"gpu_memory", no_gpu},
        {"gpu_capability", no_gpu},
        {"argc", plain([](const Call&) { return HostValue::of(sifr_argc()); })},
        {"argv", to_str([](const Call& c, sifr_str* out) { return sifr_argv(c.i(0), out); })},
        {"input", to_str([](const Call&, sifr_str* out) { return sifr_input({"", 0}, out); })},
        {"env", plain([](const Call& c) {
             sifr_str out{};
             HostValue v{.kind = Type::Kind::Optional, .text = {}, .members = {}, .list = {}};
             if (sifr_getenv(c.s(0), &out)) v.i64 = 1, v.members = {HostValue::of(out)};
             return v;
         })},
    };
    return table;
}

}  // namespace

const HostRow* string_row(std::string_view name) {
    auto it = rows().find(name);
    return it == rows().end() ? nullptr : &it->second;
}

}  // namespace sifr
