// Strings, prints, errors, the world outside: through the runtime, so that texts are the ones of a compiled program.

#include <algorithm>

#include "ir/base/diagnostic.h"
#include "ir/base/text_region.h"
#include "ir/interp/machine.h"

namespace sifr {
namespace {

Results no_gpu(const Execution&) { throw NotSupported("what a GPU is, in an interpreter"); }

template <auto function>
Results s_s(const Execution& x) {
    TextRegion region;
    return {cpp_str(function(c_str(x.str(0))))};
}
template <auto function>
Results s_s_checked(const Execution& x) {
    TextRegion region;
    sifr_str out{};
    x.require(function(c_str(x.str(0)), &out));
    return {cpp_str(out)};
}
template <auto function>
Results ss_b(const Execution& x) {
    return {static_cast<bool>(function(c_str(x.str(0)), c_str(x.str(1))))};
}

/// A value as `format(value, spec)`, or with `!r` and `!s`.
std::string formatted(const Execution& x, const RunValue& v, std::string conversion, const std::string& spec) {
    sifr_str out{}, s = c_str(spec);
    std::string shown;  // `out` may be a part of it
    if (const std::string* text = std::get_if<std::string>(&v)) {
        shown = conversion == "r" ? cpp_str(sifr_str_repr(c_str(*text))) : *text;
        x.require(sifr_format_str(c_str(shown), s, &out));
    } else if (!conversion.empty()) {
        // str() and repr() of numbers are the same text.
        shown = formatted(x, v, "", "");
        x.require(sifr_format_str(c_str(shown), s, &out));
    } else if (const int64_t* i = std::get_if<int64_t>(&v)) {
        x.require(sifr_format_i64(*i, s, &out));
    } else if (const double* d = std::get_if<double>(&v)) {
        x.require(sifr_format_f64(*d, s, &out));
    } else if (const bool* b = std::get_if<bool>(&v)) {
        x.require(sifr_format_bool(*b, s, &out));
    } else if (std::holds_alternative<std::monostate>(v)) {
        x.require(sifr_format_str(c_str("None"), s, &out));
    } else {
        throw NotSupported("this kind of value in a format");
    }
    return cpp_str(out);
}

/// Replacement fields `{}`, `{:spec}`, `{!r:spec}`; `{{` and `}}` are braces. Fields take the operands in order from `first`.
std::string fill_fields(const Execution& x, const std::string& text, size_t first) {
    std::string out;
    size_t operand = first;
    for (size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
            out += c;
            ++i;
        } else if (c == '{') {
            size_t close = text.find('}', i);
            SIFR_CHECK(close != std::string::npos, "a field without an end in '{}'", text);
            std::string field = text.substr(i + 1, close - i - 1), conversion, spec;
            size_t colon = field.find(':');
            if (colon != std::string::npos) spec = field.substr(colon + 1);
            std::string head = field.substr(0, colon);
            if (!head.empty() && head[0] == '!') conversion = head.substr(1);
            SIFR_CHECK(operand < x.in.size(), "'{}' has more fields than operands", text);
            out += formatted(x, x.in[operand++], conversion, spec);
            i = close;
        } else {
            out += c;
        }
    }
    return out;
}

Results format(const Execution& x) {
    TextRegion region;
    return {fill_fields(x, x.attr<std::string>("spec"), 0)};
}

const Span* place(const Execution& x) { return x.inst.location.empty() || !x.inst.location[0].known() ? nullptr : &x.inst.location[0]; }

Results tensor_str(const Execution& x) {
    TextRegion region;
    RunTensor t = x.tensor(0);
    sifr_tensor c = c_tensor(t);
    const Attrs& a = x.inst.attrs;
    std::string kind = a.get_or<std::string>("kind", "str"), out;
    if (kind == "tolist") {
        out = cpp_str(sifr_tensor_tolist_str(&c));
    } else {
        sifr_print_options options = sifr_default_print_options();
        options.precision = static_cast<int32_t>(a.get_or<int64_t>("precision", options.precision));
        options.threshold = a.get_or<int64_t>("threshold", options.threshold);
        options.edgeitems = static_cast<int32_t>(a.get_or<int64_t>("edgeitems", options.edgeitems));
        options.linewidth = static_cast<int32_t>(a.get_or<int64_t>("linewidth", options.linewidth));
        options.sci_mode = static_cast<int32_t>(a.get_or<int64_t>("sci_mode", options.sci_mode));
        options.default_dtype = static_cast<int32_t>(a.get_or<DType>("default_dtype", static_cast<DType>(options.default_dtype)));
        options.pairs = kind == "complex" ? 1 : 0;
        std::string suffix = a.get_or<std::string>("suffix", ""), device = a.get_or<std::string>("device", "");
        out = cpp_str(sifr_tensor_str(&c, &options, c_str(device), c_str(suffix)));
    }
    // Lines behind the first stand under the column where the text begins.
    int64_t indent = a.get_or<int64_t>("indent", 0);
    for (size_t at = out.find('\n'); indent > 0 && at != std::string::npos; at = out.find('\n', at + 1)) out.insert(at + 1, static_cast<size_t>(indent), ' ');
    return {std::move(out)};
}

/// Where the pieces of `text.split(separator)` begin and end.
std::vector<std::string> split(const Execution& x) {
    const std::string& text = x.str(0);
    const std::string& separator = x.str(1);
    if (separator.empty()) x.raise("ValueError", "empty separator");
    std::vector<std::string> out;
    size_t begin = 0;
    for (size_t at = text.find(separator); at != std::string::npos; at = text.find(separator, begin)) {
        out.push_back(text.substr(begin, at - begin));
        begin = at + separator.size();
    }
    out.push_back(text.substr(begin));
    return out;
}

template <sifr_status (*f)(sifr_str, int64_t, sifr_str, sifr_str*)>
Results justified(const Execution& x) {
    TextRegion region;
    sifr_str out{};
    x.require(f(c_str(x.str(0)), x.i64(1), c_str(x.str(2)), &out));
    return {cpp_str(out)};
}

/// The pieces as a list of str.
std::shared_ptr<RunList> split_list(const Execution& x, sifr_str separator, int64_t limit) {
    sifr_list* pieces = nullptr;
    x.require(sifr_str_split(c_str(x.str(0)), separator, limit, &pieces));
    auto out = std::make_shared<RunList>();
    out->element = Type::str();
    const auto* texts = static_cast<const sifr_str*>(sifr_list_data(pieces));
    for (int64_t k = 0; k < sifr_list_length(pieces); ++k) out->items.emplace_back(cpp_str(texts[k]));
    sifr_list_free(pieces);
    return out;
}

/// Bounds that are None stay open.
int64_t bound(const Execution& x, size_t k) { return x.is_none(k) ? SIFR_SLICE_NONE : x.i64(k); }

const NamedEvaluator string_table[] = {
    {"format", format},
    {"str_concat", [](const Execution& x) { return Results{x.str(0) + x.str(1)}; }},
    {"str_eq", ss_b<sifr_str_equal>},
    {"str_lt", [](const Execution& x) { return Results{sifr_str_compare(c_str(x.str(0)), c_str(x.str(1))) < 0}; }},
    {"str_len", [](const Execution& x) { return Results{sifr_str_length(c_str(x.str(0)))}; }},
    {"str_repr", s_s<sifr_str_repr>},
    {"str_slice",
     [](const Execution& x) {
         TextRegion region;
         sifr_str out{};
         x.require(sifr_str_slice(c_str(x.str(0)), bound(x, 1), bound(x, 2), x.is_none(3) ? 1 : x.i64(3), &out));
         return Results{cpp_str(out)};
     }},
    {"str_index",
     [](const Execution& x) {
         TextRegion region;
         sifr_str out{};
         x.require(sifr_str_index(c_str(x.str(0)), x.i64(1), &out));
         return Results{cpp_str(out)};
     }},
    {"str_mul",
     [](const Execution& x) {
         TextRegion region;
         sifr_str out{};
         x.require(sifr_str_repeat(c_str(x.str(0)), x.i64(1), &out));
         return Results{cpp_str(out)};
     }},
    {"str_in", [](const Execution& x) { return Results{sifr_str_contains(c_str(x.str(1)), c_str(x.str(0)))}; }},
    {"str_join",
     [](const Execution& x) {
         std::string out;
         for (size_t k = 1; k < x.in.size(); ++k) out += (k > 1 ? x.str(0) : "") + x.str(k);
         return Results{std::move(out)};
     }},
    {"str_lower", s_s_checked<sifr_str_lower>},
    {"str_upper", s_s_checked<sifr_str_upper>},
    {"complex_str",
     [](const Execution& x) {
         TextRegion region;
         return Results{cpp_str(sifr_complex_str(x.f64(0), x.f64(1)))};
     }},
    {"str_capitalize", s_s_checked<sifr_str_capitalize>},
    {"str_title", s_s_checked<sifr_str_title>},
    {"str_swapcase", s_s_checked<sifr_str_swapcase>},
    {"str_lstrip", [](const Execution& x) { return Results{cpp_str(sifr_str_lstrip(c_str(x.str(0)), c_str(x.str(1))))}; }},
    {"str_rstrip", [](const Execution& x) { return Results{cpp_str(sifr_str_rstrip(c_str(x.str(0)), c_str(x.str(1))))}; }},
    {"str_removeprefix", [](const Execution& x) { return Results{cpp_str(sifr_str_removeprefix(c_str(x.str(0)), c_str(x.str(1))))}; }},
    {"str_removesuffix", [](const Execution& x) { return Results{cpp_str(sifr_str_removesuffix(c_str(x.str(0)), c_str(x.str(1))))}; }},
    {"str_isdigit", [](const Execution& x) { return Results{sifr_str_isdigit(c_str(x.str(0)))}; }},
    {"str_isalpha", [](const Execution& x) { return Results{sifr_str_isalpha(c_str(x.str(0)))}; }},
    {"str_isalnum", [](const Execution& x) { return Results{sifr_str_isalnum(c_str(x.str(0)))}; }},
    {"str_isspace", [](const Execution& x) { return Results{sifr_str_isspace(c_str(x.str(0)))}; }},
    {"str_isupper", [](const Execution& x) { return Results{sifr_str_isupper(c_str(x.str(0)))}; }},
    {"str_islower", [](const Execution& x) { return Results{sifr_str_islower(c_str(x.str(0)))}; }},
    {"str_find", [](const Execution& x) { return Results{sifr_str_find(c_str(x.str(0)), c_str(x.str(1)))}; }},
    {"str_rfind", [](const Execution& x) { return Results{sifr_str_rfind(c_str(x.str(0)), c_str(x.str(1)))}; }},
    {"str_count", [](const Execution& x) { return Results{sifr_str_count(c_str(x.str(0)), c_str(x.str(1)))}; }},
    {"str_zfill",
     [](const Execution& x) {
         TextRegion region;
         return Results{cpp_str(sifr_str_zfill(c_str(x.str(0)), x.i64(1)))};
     }},
    {"str_ljust", justified<sifr_str_ljust>},
    {"str_rjust", justified<sifr_str_rjust>},
    {"str_center", justified<sifr_str_center>},
    {"str_split", [](const Execution& x) { return Results{split_list(x, c_str(x.str(1)), x.i64(2))}; }},
    {"str_split_words", [](const Execution& x) { return Results{split_list(x, sifr_str{nullptr, 0}, x.i64(1))}; }},
    {"str_strip",
     [](const Execution& x) {
         return Results{cpp_str(sifr_str_strip(c_str(x.str(0)), sifr_str{nullptr, 0}))};
     }},
    {"str_replace",
     [](const Execution& x) {
         TextRegion region;
         return Results{cpp_str(sifr_str_replace(c_str(x.str(0)), c_str(x.str(1)), c_str(x.str(2)), -1))};
     }},
    {"str_startswith", ss_b<sifr_str_startswith>},
    {"str_endswith", ss_b<sifr_str_endswith>},
    {"str_split_count", [](const Execution& x) { return Results{static_cast<int64_t>(split(x).size())}; }},
    {"str_split_get",
     [](const Execution& x) {
         std::vector<std::string> parts = split(x);
         int64_t count = static_cast<int64_t>(parts.size()), at = x.i64(2) < 0 ? x.i64(2) + count : x.i64(2);
         if (at < 0 || at >= count) x.raise("IndexError", "list index out of range");
         return Results{parts[static_cast<size_t>(at)]};
     }},
    {"str_to_int",
     [](const Execution& x) {
         int64_t out = 0;
         x.require(sifr_int_parse(c_str(x.str(0)), 10, &out));
         return Results{out};
     }},
    {"str_to_float",
     [](const Execution& x) {
         double out = 0;
         x.require(sifr_float_parse(c_str(x.str(0)), &out));
         return Results{out};
     }},
    {"tensor_str", tensor_str},
};

const NamedEvaluator host_table[] = {
    {"print",
     [](const Execution& x) {
         sifr_print(c_str(x.str(0)));
         return Results{};
     }},
    {"print_stderr",
     [](const Execution& x) {
         sifr_print_stderr(c_str(x.str(0)));
         return Results{};
     }},
    {"dump_bits",
     [](const Execution& x) {
         sifr_tensor t = c_tensor(x.tensor(1));
         sifr_dump_bits(c_str(x.str(0)), &t);
         return Results{};
     }},
    {"dump_f64",
     [](const Execution& x) {
         sifr_dump_f64(c_str(x.str(0)), x.f64(1));
         return Results{};
     }},
    {"dump_i64",
     [](const Execution& x) {
         sifr_dump_i64(c_str(x.str(0)), x.i64(1));
         return Results{};
     }},
    {"warn",
     [](const Execution& x) {
         const Span* s = place(x);
         sifr_warn(x.attr<std::string>("category").c_str(), c_str(x.str(0)), nullptr, s ? static_cast<int32_t>(s->line) : 0);
         return Results{};
     }},
    {"raise", [](const Execution& x) -> Results { x.raise(x.attr<std::string>("type"), x.str(0)); }},
    {"check",
     [](const Execution& x) {
         if (x.boolean(0)) return Results{};
         TextRegion region;
         x.raise(x.attr<std::string>("type"), fill_fields(x, x.attr<std::string>("text"), 1));
     }},
    {"clock",
     [](const Execution& x) {
         const auto& which = x.attr<std::string>("which");
         return Results{which == "perf_counter" ? sifr_perf_counter() : which == "process_time" ? sifr_process_time() : sifr_time()};
     }},
    {"gpu_name", no_gpu},
    {"gpu_memory", no_gpu},
    {"gpu_capability", no_gpu},
    {"argc", [](const Execution&) { return Results{sifr_argc()}; }},
    {"argv",
     [](const Execution& x) {
         sifr_str out{};
         x.require(sifr_argv(x.i64(0), &out));
         return Results{cpp_str(out)};
     }},
    {"input",
     [](const Execution& x) {
         TextRegion region;
         sifr_str out{};
         x.require(sifr_input(sifr_str{"", 0}, &out));
         return Results{cpp_str(out)};
     }},
    {"env",
     [](const Execution& x) {
         TextRegion region;
         sifr_str out{};
         auto o = std::make_shared<RunOptional>();
         o->some = sifr_getenv(c_str(x.str(0)), &out);
         if (o->some) o->members.emplace_back(cpp_str(out));
         return Results{std::move(o)};
     }},
    {"none", [](const Execution&) { return Results{std::make_shared<RunOptional>()}; }},
    {"some",
     [](const Execution& x) {
         auto o = std::make_shared<RunOptional>();
         o->some = true;
         o->members = x.in;
         return Results{std::move(o)};
     }},
    {"is_none", [](const Execution& x) { return Results{x.is_none(0) || !std::get<std::shared_ptr<RunOptional>>(x.in[0])->some}; }},
    {"unwrap",
     [](const Execution& x) {
         const RunOptional* o = x.is_none(0) ? nullptr : std::get<std::shared_ptr<RunOptional>>(x.in[0]).get();
         if (o && o->some) return Results(o->members);
         const auto& error = x.attr<std::string>("error");
         size_t colon = error.find(": ");
         x.raise(error.substr(0, colon), colon == std::string::npos ? "" : error.substr(colon + 2));
     }},
};

}  // namespace

std::span<const NamedEvaluator> string_evaluators() { return string_table; }
std::span<const NamedEvaluator> host_evaluators() { return host_table; }

}  // namespace sifr
