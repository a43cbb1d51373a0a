// Writes <sifr/ops.inc> from the op table: for each row that is a function or a method of PyTorch's, a C++ function that calls it; and from
// the prelude's torch/nn/functional.py, for each of its functions a template of its name. Runs while sifr is built. A row is in the header
// as soon as it is in the table, a function as soon as it is in the prelude.
//
//   {.name = "sum.dim", .sig = "(T self, int[1]? dim, bool keepdim=False, *, dtype? dtype=None) -> T"}
//   =>  Tensor sum(const std::optional<Ints>& dim, bool keepdim = false, std::optional<Dtype> dtype = {}, detail::Where where = …) const
//
// Defaults that would make a call fit two overloads are left out: the first overload keeps its own, of the later ones those stay that stand
// behind a parameter without one.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "ir/op/op_def.h"

namespace {

using namespace sifr;

/// What C++ has no other name for.
std::string cpp_name(const std::string& name) {
    static const std::set<std::string> reserved = {"and", "or", "not", "xor", "bitand", "bitor", "float", "double", "int", "bool", "default", "operator", "where", "new"};
    return reserved.count(name) ? name + "_" : name;
}

struct CppParam {
    std::string type, value;  ///< `value`: how it becomes an Arg; `{}` stands for its name
};

CppParam cpp_type(const Param& p) {
    auto maybe = [&](const char* plain, const char* optional) { return CppParam{p.optional ? optional : plain, "detail::Arg({})"}; };
    if (p.kind == Param::Kind::TensorList || (p.kind == Param::Kind::Tensor && p.list)) return {"const std::vector<Tensor>&", "detail::Arg({})"};
    switch (p.kind) {
        case Param::Kind::Tensor: return maybe("const Tensor&", "const std::optional<Tensor>&");
        case Param::Kind::TensorOrNumber: return p.optional ? CppParam{"const std::optional<TensorOrNumber>&", "{0} ? {0}->arg() : detail::Arg()"} : CppParam{"const TensorOrNumber&", "{}.arg()"};
        case Param::Kind::Scalar: case Param::Kind::RunI64: case Param::Kind::RunF64: case Param::Kind::RunBool:
            return maybe("const Scalar&", "const std::optional<Scalar>&");
        case Param::Kind::Int: return maybe("int64_t", "std::optional<int64_t>");
        case Param::Kind::Float: return maybe("double", "std::optional<double>");
        case Param::Kind::Bool: return maybe("bool", "std::optional<bool>");
        case Param::Kind::String: return maybe("std::string_view", "std::optional<std::string_view>");
        case Param::Kind::DTypeName: return maybe("Dtype", "std::optional<Dtype>");
        case Param::Kind::Ints: return maybe("const Ints&", "const std::optional<Ints>&");
        case Param::Kind::Any: return p.name.substr(0, 3) == "dim" ? CppParam{"const Ints&", "detail::Arg({})"} : CppParam{};  // one axis or several
        default: return {};
    }
}

std::string quoted(const std::string& s) { return "\"" + s + "\""; }

/// A default as C++ text; empty where there is none that C++ can say.
std::string default_text(const Param& p) {
    if (!p.has_default) return p.optional && p.keyword_only ? "{}" : "";
    const AttrValue& v = p.default_value;
    if (std::holds_alternative<std::monostate>(v)) return p.optional ? "{}" : "";
    if (const bool* b = std::get_if<bool>(&v)) return *b ? "true" : "false";
    if (const int64_t* i = std::get_if<int64_t>(&v)) return std::to_string(*i);
    if (const double* d = std::get_if<double>(&v)) return fmt::format("{}", *d).find_first_of(".en") == std::string::npos ? fmt::format("{}.0", *d) : fmt::format("{}", *d);
    if (const std::string* s = std::get_if<std::string>(&v)) return quoted(*s);
    if (const auto* l = std::get_if<std::vector<int64_t>>(&v)) return fmt::format("Ints{{{}}}", fmt::join(*l, ", "));
    return {};
}

/// One C++ function; empty where the row has something that no C++ type stands for.
std::string declaration(Op op, const std::string& name, bool method, bool in_place, bool first) {
    const Signature& s = signature(op);
    if (in_place && s.result_count != 1) return {};
    std::string params, args;
    bool self_taken = false, may_default = first;
    std::vector<std::pair<std::string, std::string>> texts;  // parameter, default
    for (const Param& p : s.params) {
        if (p.kind == Param::Kind::Layout || p.kind == Param::Kind::Data || p.kind == Param::Kind::Value || p.kind == Param::Kind::ValueList ||
            p.kind == Param::Kind::RunStr)
            return {};
        if (p.name == "generator" || p.name == "order") continue;
        if (p.kind == Param::Kind::TensorList && p.optional) return {};
        CppParam t = cpp_type(p);
        if (t.type.empty()) return {};
        std::string own = cpp_name(p.name);
        if (!args.empty()) args += ", ";
        if (method && !self_taken) {
            if (p.kind != Param::Kind::Tensor && p.kind != Param::Kind::TensorOrNumber) return {};
            self_taken = true;
            args += "*this";
            continue;
        }
        std::string value = t.value;
        for (size_t at = value.find("{0}"); at != std::string::npos; at = value.find("{0}")) value.replace(at, 3, own);
        if (size_t at = value.find("{}"); at != std::string::npos) value.replace(at, 2, own);
        if (p.keyword_only) value = fmt::format("detail::Arg({}).named({})", value, quoted(p.name));
        args += value;
        std::string otherwise = default_text(p);
        if (!may_default) otherwise.clear();
        if (!p.has_default && !p.keyword_only) may_default = true;
        texts.emplace_back(t.type + " " + own, otherwise);
    }
    if (method && !self_taken) return {};
    // Whatever stands behind a parameter without a default may have one; in front of it none.
    size_t last_without = 0;
    for (size_t k = 0; k < texts.size(); ++k)
        if (texts[k].second.empty()) last_without = k + 1;
    for (size_t k = 0; k < texts.size(); ++k) {
        if (!params.empty()) params += ", ";
        params += texts[k].first;
        if (k >= last_without) params += " = " + texts[k].second;
    }
    if (!params.empty()) params += ", ";
    params += "detail::Where place = detail::Where::current()";

    const std::string path = quoted((method ? "." : "torch.") + name);
    const std::string call = fmt::format("detail::invoke({}, {{{}}}, place)", path, args);
    std::string type, body;
    if (in_place) {
        type = "Tensor";
        body = fmt::format("return Tensor({});", call);
    } else if (s.result_count == -1) {
        type = "std::vector<Tensor>";
        body = fmt::format("return detail::tensors({});", call);
    } else if (s.result_count == 1) {
        if (s.result_kinds.at(0) != Param::Kind::Tensor) return {};
        type = "Tensor";
        body = fmt::format("return Tensor({});", call);
    } else {
        std::string members, values;
        for (int k = 0; k < s.result_count; ++k) {
            if (s.result_kinds.at(static_cast<size_t>(k)) != Param::Kind::Tensor) return {};
            members += k ? ", Tensor" : "Tensor";
            values += fmt::format("{}Tensor(m.at({}))", k ? ", " : "", k);
        }
        type = fmt::format("std::tuple<{}>", members);
        body = fmt::format("auto m = detail::members({}); return {{{}}};", call, values);
    }
    return fmt::format("{}{} {}({}){} {{ {} }}\n", method ? "    " : "inline ", type, cpp_name(name) == name ? name : name + (name == "where" ? "" : "_"), params, method ? " const" : "", body);
}

/// Names that <sifr/sifr.h> has by hand, because they are no single row.
const std::set<std::string> by_hand_methods = {"index", "index_put_", "item", "detach", "contiguous", "reshape", "matmul", "zero_", "fill_", "copy_", "to", "backward", "requires_grad_", "grad", "sizes", "strides", "size", "dim", "numel", "dtype", "call", "set_grad", "defined"};
const std::set<std::string> by_hand_functions = {"zeros", "ones", "empty", "full", "rand", "randn", "arange", "eye", "zeros_like", "ones_like", "matmul", "call", "jit", "keyword", "literal", "scalar_tensor", "from_scalars"};

/// The public functions of a module of the prelude: those that it defines, and those that it has from modules beside it.
std::set<std::string> functions_of_module(const std::string& text) {
    std::set<std::string> names;
    const auto add = [&](const std::string& name) {
        if (name[0] != '_') names.insert(name);
    };
    static const std::regex defined("(?:^|\n)def (\\w+)\\("), imported("(?:^|\n)from torch\\.\\S+ import (?:\\(([^)]*)\\)|([^\n(]+))"), name("\\w+");
    for (std::sregex_iterator d(text.begin(), text.end(), defined), end; d != end; ++d) add((*d)[1]);
    for (std::sregex_iterator i(text.begin(), text.end(), imported), end; i != end; ++i) {
        const std::string list = (*i)[1].matched ? (*i)[1] : (*i)[2];
        for (std::sregex_iterator n(list.begin(), list.end(), name); n != end; ++n) add(n->str());
    }
    return names;
}

/// A template: keywords are given by `sifr::keyword`, as the functions of the prelude have no types that C++ could show.
std::string functional_declaration(const std::string& name) {
    const std::string type = name.ends_with("_with_indices") ? "Object" : "Tensor";
    return fmt::format("template <class... A>\n{0} {1}(const detail::First& first, const A&... more) {{ return {0}(detail::invoke(\"torch.nn.functional.{2}\", "
                       "{{first.arg, detail::Arg(more)...}}, first.where)); }}\n",
                       type, cpp_name(name), name);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    std::map<std::string, std::vector<Op>> names;
    for (const Op op : all_ops()) {
        const OpDef& row = def(op);
        if (row.lower == Lower::Structural || row.lower == Lower::Scalar || row.lower == Lower::Host) continue;
        std::string name = row.name;
        name = name.substr(0, name.find('.'));
        if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) continue;
        names[name];
    }
    std::string methods, functions;
    for (auto& [name, ops] : names) {
        std::set<std::string> seen;
        auto add = [&](std::string& to, const std::string& text) {
            if (!text.empty() && seen.insert(text.substr(0, text.find(" {"))).second) to += text;
        };
        bool first_method = true, first_function = true, first_in_place = true;
        for (Op op : overloads(name)) {
            const OpDef& row = def(op);
            if (row.method && !by_hand_methods.count(name)) {
                std::string text = declaration(op, name, true, false, first_method);
                add(methods, text);
                first_method = first_method && text.empty();
            }
            if (row.method && row.inplace && row.lower != Lower::View && !by_hand_methods.count(name + "_")) {
                std::string text = declaration(op, name + "_", true, true, first_in_place);
                add(methods, text);
                first_in_place = first_in_place && text.empty();
            }
            if (row.function && !by_hand_functions.count(name)) {
                std::string text = declaration(op, name, false, false, first_function);
                add(functions, text);
                first_function = first_function && text.empty();
            }
        }
    }
    std::string out = "// Made from the op table when sifr is built. Included by <sifr/tensor.h> and <sifr/functions.h>.\n#ifdef SIFR_TENSOR_METHODS\n" + methods + "#endif\n#ifdef SIFR_FUNCTIONS\n" + functions + "#endif\n#ifdef SIFR_NN_FUNCTIONAL\n";
    std::ifstream functional(argv[2]);
    if (!functional) return 3;
    for (const std::string& name : functions_of_module(std::string((std::istreambuf_iterator<char>(functional)), std::istreambuf_iterator<char>()))) out += functional_declaration(name);
    out += "#endif\n";
    std::FILE* f = std::fopen(argv[1], "w");
    if (!f) return 3;
    const bool fine = std::fwrite(out.data(), 1, out.size(), f) == out.size();
    return std::fclose(f) == 0 && fine ? 0 : 3;
}
