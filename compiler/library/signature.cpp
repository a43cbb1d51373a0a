// The types of a library function's parameters, as text.

#include <cctype>
#include <charconv>

#include "compiler/library/library.h"

namespace sifr {

namespace {

[[noreturn]] void refuse(std::string text, std::string help) {
    Diagnostic d;
    d.code = "signature";
    d.text = std::move(text);
    d.help = std::move(help);
    throw CompileError(d, 2);
}

constexpr const char* shown = "write it as step(x: f32[32,8], w: f32[], n: int, rate: float, on: bool)";

std::string stripped(std::string_view s) {
    while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front())) != 0) s.remove_prefix(1);
    while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back())) != 0) s.remove_suffix(1);
    return std::string(s);
}

/// The parts between commas that stand in no bracket.
std::vector<std::string> parts(std::string_view s) {
    std::vector<std::string> out;
    if (stripped(s).empty()) return out;
    int depth = 0;
    size_t begin = 0;
    for (size_t k = 0; k <= s.size(); ++k) {
        if (k < s.size() && s[k] == '[') ++depth;
        if (k < s.size() && s[k] == ']') --depth;
        if (k < s.size() && (s[k] != ',' || depth != 0)) continue;
        out.push_back(stripped(s.substr(begin, k - begin)));
        begin = k + 1;
    }
    return out;
}

}  // namespace

Type type_of_signature(const std::string& text, const std::string& what) {
    const std::string s = stripped(text);
    if (s == "int") return Type::i64();
    if (s == "float") return Type::f64();
    if (s == "bool") return Type::boolean();
    const char* help = "a type is f32[32,8] (a dtype, then sizes), f32[] for a tensor without axes, int, float or bool";
    const size_t open = s.find('[');
    const std::string name = stripped(std::string_view(s).substr(0, open));
    std::optional<DType> dtype = dtype_named(name);
    if (!dtype) dtype = dtype_torch_named(name);
    if (open == std::string::npos || s.back() != ']')
        refuse(fmt::format("{}: '{}' is no type", what, text),
               dtype ? fmt::format("a tensor's sizes are part of its type: {}[32,8]", name) : help);
    if (!dtype) refuse(fmt::format("{}: '{}' is no dtype", what, name), help);
    Sizes sizes;
    int64_t elements = 1;
    for (const std::string& p : parts(std::string_view(s).substr(open + 1, s.size() - open - 2))) {
        int64_t n = 0;
        const auto [end, error] = std::from_chars(p.data(), p.data() + p.size(), n);
        if (error != std::errc() || end != p.data() + p.size() || n < 0) refuse(fmt::format("{}: '{}' is no size", what, p), help);
        if (__builtin_mul_overflow(elements, n == 0 ? 1 : n, &elements) || elements > INT64_MAX / 16)
            refuse(fmt::format("{}: the number of elements does not fit 64 bits", what), "");
        sizes.push_back(n);
    }
    return Type::tensor(*dtype, sizes);
}

LibrarySignature parse_signature(const std::string& text) {
    LibrarySignature out;
    const std::string s = stripped(text);
    const size_t open = s.find('(');
    if (open == std::string::npos || s.back() != ')') refuse(fmt::format("'{}' is no signature", text), shown);
    out.function = stripped(std::string_view(s).substr(0, open));
    for (const std::string& p : parts(std::string_view(s).substr(open + 1, s.size() - open - 2))) {
        const size_t colon = p.find(':');
        if (colon == std::string::npos) refuse(fmt::format("'{}' in a signature has no type", p), shown);
        out.parameters.emplace_back(stripped(std::string_view(p).substr(0, colon)), stripped(std::string_view(p).substr(colon + 1)));
    }
    return out;
}

}  // namespace sifr
