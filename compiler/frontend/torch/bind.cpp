#include "compiler/frontend/torch/bind.h"

#include <algorithm>
#include <optional>

#include "compiler/frontend/torch/return_types.h"

namespace sifr::capture {
namespace {

/// Other names under which PyTorch takes a parameter.
bool is_alias(std::string_view param, std::string_view keyword) {
    struct Alias { std::string_view param, keyword; };
    static constexpr Alias aliases[] = {
        {"self", "input"}, {"dim", "axis"}, {"keepdim", "keepdims"}, {"other", "x2"}, {"self", "x"}, {"dims", "dim"}, {"size", "shape"},
    };
    return std::any_of(std::begin(aliases), std::end(aliases), [&](const Alias& a) { return a.param == param && a.keyword == keyword; });
}

/// What PyTorch calls a parameter's type in its messages.
std::string type_text(const Param& p) {
    switch (p.kind) {
        case Param::Kind::Tensor: return "Tensor";
        case Param::Kind::TensorOrNumber: return "Tensor";
        case Param::Kind::TensorList: return "tuple of Tensors";
        case Param::Kind::Scalar: return "Number";
        case Param::Kind::RunI64: return "int";
        case Param::Kind::RunF64: return "float";
        case Param::Kind::RunBool: return "bool";
        case Param::Kind::RunStr: return "str";
        case Param::Kind::Int: return "int";
        case Param::Kind::Float: return "float";
        case Param::Kind::Bool: return "bool";
        case Param::Kind::String: return "str";
        case Param::Kind::DTypeName: return "torch.dtype";
        case Param::Kind::Ints: return "tuple of ints";
        default: return "object";
    }
}

bool is_sequence(PyValue v) { return v.is(Kind::List) || v.is(Kind::Tuple); }
const Values& items_of(PyValue v) { return v.is(Kind::List) ? v.as<ListObject>()->items : v.as<TupleObject>()->items; }
bool is_int(PyValue v) { return v.is(Kind::Int) || v.is_dynamic(Type::Kind::I64); }

/// Whether `v` may stand for parameter `p`; says nothing about whether it is known. `zero_dims`: a 0-d tensor without a history may
/// stand for a number, which is tried when no overload takes it as the tensor that it is.
bool accepts(Interpreter& in, const Param& p, PyValue v, bool zero_dims) {
    auto is_zero_dim = [&](Interpreter&, PyValue t) { return zero_dims && t.is(Kind::Tensor) && type_of(in, t).rank() == 0 && !requires_grad(in, t); };
    if (v.is_none()) return p.optional && !p.list;
    auto all = [&](auto&& each) { return is_sequence(v) && std::all_of(items_of(v).begin(), items_of(v).end(), each); };
    switch (p.kind) {
        case Param::Kind::Tensor:
            if (p.list) return all([&](PyValue i) { return i.is(Kind::Tensor) || (p.optional && i.is_none()); });
            return v.is(Kind::Tensor);
        case Param::Kind::TensorOrNumber: return v.is(Kind::Tensor) || v.is_number();
        case Param::Kind::TensorList: return all([&](PyValue i) { return i.is(Kind::Tensor) || (p.optional && i.is_none()); });
        case Param::Kind::Scalar:
            if (p.list) return all([](PyValue i) { return i.is_number(); });
            return v.is_number() || is_zero_dim(in, v);
        case Param::Kind::RunI64: return is_int(v) || v.is(Kind::Bool) || is_zero_dim(in, v);
        case Param::Kind::RunF64: return v.is_number() || is_zero_dim(in, v);
        case Param::Kind::RunBool: return v.is(Kind::Bool) || v.is_dynamic(Type::Kind::Bool);
        case Param::Kind::RunStr:
        case Param::Kind::String: return v.is_str();
        case Param::Kind::Int: return is_int(v) || (is_zero_dim(in, v) && is_integral(type_of(in, v).dtype));
        case Param::Kind::Float: return v.is_number();
        case Param::Kind::Bool: return v.is(Kind::Bool) || v.is_dynamic(Type::Kind::Bool);
        case Param::Kind::DTypeName: return v.is(Kind::DType);
        case Param::Kind::Ints: return (p.list_size > 0 && is_int(v)) || all([](PyValue i) { return is_int(i) || i.is(Kind::Tensor); });
        case Param::Kind::Any:
            if (p.name == "dim" && (v.is_str() || v.is(Kind::Float))) return false;
            return v.is_number() || v.is_str() || v.is(Kind::DType) || is_sequence(v);
        case Param::Kind::Value:
        case Param::Kind::ValueList: return true;
        case Param::Kind::Layout:
        case Param::Kind::Data: return false;
    }
    return false;
}

/// Puts an accepted value where the row wants it.
void place(Interpreter& in, const Param& p, PyValue v, BoundCall& out) {
    if (p.is_operand()) {
        if (p.list || p.kind == Param::Kind::TensorList || p.kind == Param::Kind::ValueList) {
            for (PyValue i : items_of(v)) out.operands.push_back(i);
        } else if (v.is(Kind::Tensor) && (p.kind == Param::Kind::Scalar || p.kind == Param::Kind::RunI64 || p.kind == Param::Kind::RunF64)) {
            out.operands.push_back(item_of(in, v));
        } else {
            out.operands.push_back(v);
        }
        return;
    }
    switch (p.kind) {
        case Param::Kind::Int: out.attributes.set(p.name, v.is_none() ? AttrValue() : AttrValue(in.need_int(v, p.name))); break;
        case Param::Kind::Float: out.attributes.set(p.name, v.is_none() ? AttrValue() : AttrValue(in.need_float(v, p.name))); break;
        case Param::Kind::Bool: out.attributes.set(p.name, v.is_none() ? AttrValue() : AttrValue(in.need_bool(v, p.name))); break;
        case Param::Kind::String: out.attributes.set(p.name, v.is_none() ? AttrValue() : AttrValue(in.need_str(v, p.name))); break;
        case Param::Kind::DTypeName: out.attributes.set(p.name, v.is_none() ? AttrValue() : AttrValue(v.as_dtype())); break;
        case Param::Kind::Ints: {
            if (v.is_none()) {
                out.attributes.set(p.name, AttrValue());
                break;
            }
            Sizes s = to_sizes(in, v, p.name);
            if (is_int(v)) s.assign(static_cast<size_t>(std::max(p.list_size, 1)), s[0]);
            out.attributes.set(p.name, s);
            break;
        }
        default: out.attributes.set(p.name, to_attribute(in, v, p.name)); break;
    }
}

// ---------------------------------------------------------------------------------------------- what no overload takes

/// A default as PyTorch's messages write it.
std::string default_text(const AttrValue& v) {
    if (const bool* b = std::get_if<bool>(&v)) return *b ? "True" : "False";
    if (const int64_t* i = std::get_if<int64_t>(&v)) return fmt::format("{}", *i);
    if (const double* d = std::get_if<double>(&v)) return fmt::format("{}", *d);
    if (const std::string* s = std::get_if<std::string>(&v)) return *s;
    return "None";
}

/// Whether PyTorch's function writes into an `out`: views and sums of all elements do not.
bool takes_out(Op op) {
    const OpDef& row = def(op);
    if (row.lower == Lower::View || row.lower == Lower::Random) return false;
    const std::vector<Param>& params = signature(op).params;
    const bool reduces_all = row.reduction && std::none_of(params.begin(), params.end(), [](const Param& p) { return p.name == "dim"; });
    return !reduces_all || op == "mean"_op || op == "any"_op || op == "all"_op;
}

bool is_factor(const Param& p) {
    return p.keyword_only && p.kind == Param::Kind::Scalar && (p.name == "alpha" || p.name == "beta" || p.name == "value");
}

/// Rows whose factors PyTorch once took in front of the tensors: a second form, which no message shows.
bool has_hidden_form(Op op) {
    const std::vector<Param>& params = signature(op).params;
    return std::any_of(params.begin(), params.end(), is_factor);
}

/// `add` beside `add.alpha`: a row of the table that is no form of its own in PyTorch.
bool is_part_of(Op op, std::span<const Op> overloads) {
    const std::vector<Param>& own = signature(op).params;
    return std::any_of(overloads.begin(), overloads.end(), [&](Op other) {
        const std::vector<Param>& longer = signature(other).params;
        return longer.size() == own.size() + 1 && is_factor(longer.back()) &&
               std::equal(own.begin(), own.end(), longer.begin(), [](const Param& a, const Param& b) { return a.name == b.name; });
    });
}

/// One form of a function in PyTorch's words, argument by argument; `*` stands among them.
struct Form {
    std::vector<std::string> arguments;
    size_t least = 0, most = 0;  ///< how many arguments it takes
};
Form form_of(Op op, bool method) {
    Form form;
    bool keywords = false;
    auto keyword_only = [&] {
        if (!keywords) form.arguments.emplace_back("*");
        keywords = true;
    };
    for (const Param& p : signature(op).params) {
        if (method && &p == signature(op).params.data()) continue;
        if (p.keyword_only) keyword_only();
        std::string text = fmt::format("{} {}", p.name == "dim" && p.kind == Param::Kind::Any ? "tuple of ints" : type_text(p),
                                       p.name == "self" ? "input" : p.name);
        if (is_factor(p))
            text += " = 1";
        else if (p.has_default || (p.optional && p.keyword_only))
            text += fmt::format(" = {}", default_text(p.default_value));
        else
            ++form.least;
        form.arguments.push_back(std::move(text));
        ++form.most;
    }
    if (!method && takes_out(op)) {
        ++form.most;
        keyword_only();
        form.arguments.emplace_back("Tensor out = None");
    }
    return form;
}

/// `int`, `tuple of (int, int)`.
std::string given_text(Interpreter& in, PyValue v) {
    if (!is_sequence(v)) return in.type_name(v);
    std::vector<std::string> members;
    for (PyValue i : items_of(v)) members.push_back(in.type_name(i));
    if (v.is(Kind::List)) return fmt::format("list of [{}]", fmt::join(members, ", "));
    return fmt::format("tuple of ({}{})", fmt::join(members, ", "), members.size() == 1 ? "," : "");
}

/// PyTorch's list of what there is, beside what was given: the whole text, or nothing where it speaks of one form only, `*only`.
std::optional<std::string> invalid_combination(Interpreter& in, std::string_view name, std::span<const Op> overloads, PyValue self,
                                               const Args& args, std::optional<Op>& only) {
    const bool method = !self.is_unbound();
    const size_t given = args.positional.size() + args.keywords.size();
    std::vector<Form> forms;
    size_t plausible = 0;
    bool hidden = false;
    for (Op op : overloads) {
        hidden |= has_hidden_form(op);
        if (is_part_of(op, overloads)) continue;
        forms.push_back(form_of(op, method));
        if (given < forms.back().least || given > forms.back().most) continue;
        ++plausible;
        only = op;
    }
    if (forms.size() == 1 && !hidden) return std::nullopt;
    if (plausible == 1) return std::nullopt;
    only.reset();
    std::vector<std::string> types;
    for (PyValue v : args.positional) types.push_back(in.type_name(v));
    std::string got = fmt::format("({}", fmt::join(types, ", "));
    // PyTorch walks its table of keywords, which gives the last one first.
    for (size_t k = args.keywords.size(); k-- > 0;) {
        if (!types.empty() || k + 1 < args.keywords.size()) got += ", ";
        got += fmt::format("{}={}", *args.keywords[k].first, in.type_name(args.keywords[k].second));
    }
    if (types.empty() && !args.keywords.empty()) got += ", ";
    got += ")";
    std::vector<std::string> unknown;
    for (const auto& [keyword, value] : args.keywords) unknown.push_back(*keyword);
    auto why = [&](const Form& form) -> std::string {
        // Even a form without arguments has one in PyTorch's count.
        if (std::max<size_t>(form.arguments.size(), 1) != given) return {};
        if (!unknown.empty())
            return fmt::format("      didn't match because some of the keywords were incorrect: {}, \n", fmt::join(unknown, ", "));
        std::string marks;
        for (size_t k = 0; k < args.positional.size(); ++k) {
            // Only an argument without a default, of the very type, matches.
            const bool matches = k < form.arguments.size() && form.arguments[k].find(" = ") == std::string::npos &&
                                 form.arguments[k].substr(0, form.arguments[k].rfind(' ')) == in.type_name(args.positional[k]);
            marks += fmt::format("{}{}{}{}", marks.empty() ? "" : ", ", matches ? "" : "!", given_text(in, args.positional[k]),
                                 matches ? "" : "!");
        }
        return fmt::format("      didn't match because some of the arguments have invalid types: ({})\n", marks);
    };
    std::string text = fmt::format("{}() received an invalid combination of arguments - ", name);
    if (forms.size() == 1) {
        if (!unknown.empty()) return text + fmt::format("got unrecognized keyword arguments: {}", fmt::join(unknown, ", "));
        return text + fmt::format("got {}, but expected ({})", got, fmt::join(forms[0].arguments, ", "));
    }
    text += fmt::format("got {}, but expected one of:\n", got);
    for (const Form& form : forms) text += fmt::format(" * ({})\n{}", fmt::join(form.arguments, ", "), why(form));
    return text;
}

/// How far an overload came, and what stopped it.
struct Failure {
    int matched = -1;
    std::string text;
    std::string unknown;             ///< the keyword that is no parameter, if that is what failed
    std::vector<std::string> known;  ///< then: those that are
};

std::optional<BoundCall> try_bind(Interpreter& in, std::string_view name, Op op, PyValue self, const Args& args, bool zero_dims, Failure& failure) {
    const std::vector<Param>& params = signature(op).params;
    Values positional;
    if (!self.is_unbound()) positional.push_back(self);
    positional.insert(positional.end(), args.positional.begin(), args.positional.end());
    size_t shift = self.is_unbound() ? 0 : 1;

    auto fail = [&](int matched, std::string text) {
        if (matched > failure.matched) failure = {matched, std::move(text), {}, {}};
        return std::nullopt;
    };

    std::vector<PyValue> values(params.size());
    std::vector<size_t> takers;  // parameters that take positional arguments
    for (size_t k = 0; k < params.size(); ++k)
        if (!params[k].keyword_only) takers.push_back(k);

    // `x.permute(1, 0)`: the only parameter behind self is a list of ints, given as varargs.
    size_t first_own = self.is_unbound() && !takers.empty() && params[takers[0]].kind == Param::Kind::Tensor ? 1 : shift;
    bool varargs = takers.size() == first_own + 1 && params[takers.back()].kind == Param::Kind::Ints && positional.size() > first_own &&
                   std::all_of(positional.begin() + static_cast<ptrdiff_t>(first_own), positional.end(), is_int);
    int matched = 0;
    if (varargs) {
        Values rest(positional.begin() + static_cast<ptrdiff_t>(first_own), positional.end());
        positional.resize(first_own);
        positional.push_back(in.tuple(std::move(rest)));
    }
    if (positional.size() > takers.size())
        return fail(static_cast<int>(takers.size()), fmt::format("{}() takes {} positional argument{} but {} were given", name, takers.size() - shift, takers.size() - shift == 1 ? "" : "s",
                                                                 positional.size() - shift));
    for (size_t i = 0; i < positional.size(); ++i) {
        const Param& p = params[takers[i]];
        if (p.kind == Param::Kind::TensorList && is_sequence(positional[i]) && !accepts(in, p, positional[i], zero_dims)) {
            const Values& members = items_of(positional[i]);
            const auto other = std::find_if(members.begin(), members.end(), [](PyValue v) { return !v.is(Kind::Tensor); });
            if (other != members.end())
                return fail(matched, fmt::format("expected Tensor as element {} in argument {}, but got {}", other - members.begin(),
                                                 i - shift, in.type_name(*other)));
        }
        if (!accepts(in, p, positional[i], zero_dims))
            return fail(matched, fmt::format("{}(): argument '{}' (position {}) must be {}, not {}", name, p.name == "self" ? "input" : p.name, i + 1 - shift, type_text(p), in.type_name(positional[i])));
        values[takers[i]] = positional[i];
        ++matched;
    }
    // What is missing comes before what is unknown.
    auto missing_text = [&]() -> std::optional<std::string> {
        std::vector<std::string> missing;
        for (size_t k = 0; k < params.size(); ++k) {
            const bool named = std::any_of(args.keywords.begin(), args.keywords.end(),
                                           [&](const auto& a) { return params[k].name == *a.first || is_alias(params[k].name, *a.first); });
            if (values[k].is_unbound() && !named && !params[k].has_default && !(params[k].optional && params[k].keyword_only) &&
                !(params[k].list && !params[k].keyword_only))
                missing.push_back(fmt::format("\"{}\"", params[k].name == "self" ? "input" : params[k].name));
        }
        if (missing.empty()) return std::nullopt;
        return fmt::format("{}() missing {} required positional argument{}: {}", name, missing.size(), missing.size() == 1 ? "s" : "",
                           fmt::join(missing, ", "));
    };
    if (std::optional<std::string> text = missing_text()) return fail(matched, *text);
    for (const auto& [keyword, value] : args.keywords) {
        auto at = std::find_if(params.begin(), params.end(), [&](const Param& p) { return p.name == *keyword; });
        if (at == params.end()) at = std::find_if(params.begin(), params.end(), [&](const Param& p) { return is_alias(p.name, *keyword); });
        if (at == params.end()) {
            bool furthest = matched > failure.matched;
            fail(matched, fmt::format("{}() got an unexpected keyword argument '{}'", name, *keyword));
            if (furthest) {
                failure.unknown = *keyword;
                for (const Param& p : params) failure.known.push_back(p.name);
            }
            return std::nullopt;
        }
        size_t k = static_cast<size_t>(at - params.begin());
        if (!values[k].is_unbound()) return fail(matched, fmt::format("{}() got multiple values for argument '{}'", name, *keyword));
        if (!accepts(in, *at, value, zero_dims)) return fail(matched, fmt::format("{}(): argument '{}' must be {}, not {}", name, *keyword, type_text(*at), in.type_name(value)));
        values[k] = value;
        ++matched;
    }

    BoundCall out{op, {}, {}};
    for (size_t k = 0; k < params.size(); ++k) {
        const Param& p = params[k];
        if (!values[k].is_unbound()) {
            place(in, p, values[k], out);
        } else if (p.is_operand() && !p.list && p.kind != Param::Kind::TensorList) {
            // A default number, or nothing.
            PyValue v = PyValue::none();
            if (const bool* b = std::get_if<bool>(&p.default_value)) v = PyValue::boolean(*b);
            else if (const int64_t* i = std::get_if<int64_t>(&p.default_value)) v = PyValue::integer(*i);
            else if (const double* d = std::get_if<double>(&p.default_value)) v = PyValue::real(*d);
            out.operands.push_back(v);
        }
    }
    return out;
}

}  // namespace

BoundCall bind_call(Interpreter& in, std::string_view name, std::span<const Op> overloads, PyValue self, const Args& args) {
    Failure failure;
    for (bool zero_dims : {false, true})
        for (Op op : overloads)
            if (std::optional<BoundCall> bound = try_bind(in, name, op, self, args, zero_dims, failure)) return *bound;
    std::optional<Op> only;
    if (std::optional<std::string> text = invalid_combination(in, name, overloads, self, args, only)) throw ScriptError("TypeError", *text);
    if (only) {
        // The row that PyTorch's form is, without the factor that has a default there.
        for (Op op : overloads)
            if (is_part_of(op, std::span(&*only, 1))) {
                only = op;
                break;
            }
        failure = {};
        try_bind(in, name, *only, self, args, true, failure);
    }
    if (!failure.unknown.empty()) in.suggest(failure.unknown, failure.known);
    throw ScriptError("TypeError", failure.text);
}

Sizes to_sizes(Interpreter& in, PyValue v, std::string_view what) {
    if (is_sequence(v)) {
        Sizes out;
        for (PyValue i : items_of(v)) out.push_back(in.need_int(i, what));
        return out;
    }
    return {in.need_int(v, what)};
}

Sizes sizes_from(Interpreter& in, const Values& values, std::string_view what) {
    if (values.size() == 1 && is_sequence(values[0])) return to_sizes(in, values[0], what);
    Sizes out;
    for (PyValue v : values) out.push_back(in.need_int(v, what));
    return out;
}

AttrValue to_attribute(Interpreter& in, PyValue v, std::string_view what) {
    if (v.is_none()) return {};
    if (v.is(Kind::Bool)) return v.as_bool();
    if (v.is(Kind::Int)) return v.as_int();
    if (v.is(Kind::Float)) return v.as_float();
    if (v.is(Kind::DType)) return v.as_dtype();
    if (v.is(Kind::Str)) return v.as<StrObject>()->text;
    if (is_sequence(v)) return to_sizes(in, v, what);
    in.need_static(v, what);
}

PyValue pack_results(Interpreter& in, Op op, std::string_view name, Values results) {
    const Signature& s = signature(op);
    if (s.result_count == 0) return PyValue::none();
    if (s.result_count == 1) return results.at(0);
    if (!s.result_names.empty()) {
        // Called by another name of the row, the result has the row's own class.
        std::string_view row = name_of(op);
        return make_return_type(in, return_type_class(in, name) ? name : row.substr(0, row.find('.')), std::move(results));
    }
    return in.tuple(std::move(results));
}

}  // namespace sifr::capture
